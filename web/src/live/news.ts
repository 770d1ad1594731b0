import { signal } from '@preact/signals';
import type { StreamRef, TimeRange } from '../state/view-text.ts';

/** The newest row of what is followed, and when something came last, ms by the browser's clock; undefined: never. */
export interface News {
  readonly newest: bigint;
  readonly arrivedAt: number | undefined;
  /** How long nothing came lately between two packages, ms. */
  readonly pauseMs: number;
  /** How many rows were left out, as they are far ahead of the others. */
  readonly ahead: number;
}

/** Undefined while nothing is followed, and before the first row. */
export const news = signal<News | undefined>(undefined);

/** A tag has another value than in the rows before. */
export interface TagChange {
  readonly stream: StreamRef;
  readonly tag: string;
  readonly value: string;
}

/** The last change of a tag in what is followed; undefined before the first. */
export const tagChange = signal<TagChange | undefined>(undefined);

/** Watches tags of packages: tells of each that has another value than before. */
export function tagWatch(): (
  stream: StreamRef,
  tags: Readonly<Record<string, readonly (string | null)[]>>,
) => void {
  const known = new Map<string, string>();
  return (stream, tags) => {
    for (const [tag, values] of Object.entries(tags)) {
      const value = values.findLast((own) => own !== null) ?? null;
      const key = JSON.stringify([stream.topic, stream.streamId, tag]);
      if (value === null || known.get(key) === value) continue;
      known.set(key, value);
      tagChange.value = { stream, tag, value };
    }
  };
}

/** Grows each second in which something came: what is read again while live data is followed goes by it. */
export const beat = signal(0);

/** What was seen of live data at the last beat; undefined while nothing is followed. */
export const beatRange = signal<TimeRange | undefined>(undefined);
