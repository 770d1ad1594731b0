import { compareText } from './tags.ts';

/** Statuses of a stream. `Idle` and `Deleting` can be filtered for and are never given. */
export const statuses = [
  'Open',
  'Interrupted',
  'Closed',
  'Aborted',
  'Terminated',
  'Idle',
  'Deleting',
  'SoftDeleted',
] as const;
export type Status = (typeof statuses)[number];

export const endTypes = ['Closed', 'Aborted', 'Terminated'] as const;
export type EndType = (typeof endTypes)[number];

/** What a client says about a stream; a PUT replaces all of it. */
export interface StreamProperties {
  readonly name?: string;
  /** Begins with `/`; see `normalLocation`. */
  readonly location?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly parents?: readonly string[];
  /** Milliseconds since the Unix epoch. */
  readonly timeOfRecording?: number;
}

/** A stream as `/streams` shows it. */
export interface Stream {
  readonly streamId: string;
  readonly name: string;
  readonly topic: string;
  /** Milliseconds since the Unix epoch, as are `lastUpdate` and `timeOfRecording`. */
  readonly createdAt: number;
  readonly lastUpdate: number;
  readonly timeOfRecording: number | undefined;
  /** Smallest and largest timestamp in nanoseconds, both undefined while the stream has no data. */
  readonly dataStart: bigint | undefined;
  readonly dataEnd: bigint | undefined;
  readonly status: Status;
  readonly metadata: Readonly<Record<string, string>>;
  readonly parents: readonly string[];
  readonly location: string;
}

/** A location begins with `/`; an empty one is the root. */
export function normalLocation(location: string | undefined): string {
  if (location === undefined || location === '') return '/';
  return location.startsWith('/') ? location : `/${location}`;
}

/** What a stream is called: ids are unique within a topic. */
export interface StreamKey {
  readonly topic: string;
  readonly streamId: string;
}

/** The order of streams in answers: by id, then topic. */
export function compareStreamKeys(a: StreamKey, b: StreamKey): number {
  return compareText(a.streamId, b.streamId) || compareText(a.topic, b.topic);
}
