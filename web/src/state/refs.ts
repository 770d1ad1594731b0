import { split } from './text-parts.ts';

/** A stream as the page names it. */
export interface StreamRef {
  readonly topic: string;
  readonly streamId: string;
}

/** What tells which lap a row is of: a tag that it has, a channel that counts laps, or nothing. */
export interface LapSource {
  readonly kind: 'tag' | 'channel' | 'none';
  /** Empty of nothing. */
  readonly name: string;
}

/** A lap of one stream: a value of the tag, or what the channel counts. */
export interface LapRef {
  readonly stream: StreamRef;
  readonly value: string;
}

/** Inclusive, ns since the Unix epoch. */
export interface TimeRange {
  readonly from: bigint;
  readonly to: bigint;
}

/** The runs that the fields of an address name, those that can be understood. */
export function streamsIn(fields: URLSearchParams): StreamRef[] {
  return fields.getAll('s').flatMap((text) => {
    const [topic, streamId] = split(text, '/');
    return topic === undefined || streamId === undefined ? [] : [{ topic, streamId }];
  });
}
