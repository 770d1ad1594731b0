import type { Column } from '../../domain/parameter-data.ts';
import type { Scan } from '../json/json-scanner.ts';
import type { RoundedNumbers } from '../json/rounded-numbers.ts';
import type { Scratch } from '../json/scratch.ts';
import type { PayloadLimits } from './payload-limits.ts';
import type { TagMemory } from './tag-memory.ts';

/** A payload while it is read, property by property. */
export interface Payload {
  readonly scan: Scan;
  readonly limits: PayloadLimits;
  readonly scratch: Scratch;
  /** Of the whole body. */
  readonly tagMemory: TagMemory;
  readonly pause: Pause;
  readonly rounded: RoundedNumbers;
  /** What stands before each path: empty, or `[3].` for the fourth entry of a batch. */
  readonly prefix: string;
  /** The number of timestamps, once they are known. */
  count: number | undefined;
  readonly columns: Column[];
  /** The arrays that have another length, or were read before. */
  readonly unsure: { readonly group: string; readonly name: string; readonly length: number }[];
}

/**
 * Where reading stops for a moment, so that others have the thread: at a place of the body that every array looks at before
 * each of its elements.
 */
export interface Pause {
  at: number;
  /** Bytes from one to the next. */
  readonly every: number;
}

/** Reads on without a pause. */
export const noPause: Pause = { at: Number.POSITIVE_INFINITY, every: Number.POSITIVE_INFINITY };

/** Numbers and times that are read in one loop, which has no eye for the place: a fraction of a millisecond. */
export const elementsOfLoop = 8192;

/** An array that is being read: what is kept of it from one pause to the next. */
export interface OpenColumn {
  readonly name: string;
  /** Its bracket was read. */
  isBegun: boolean;
  /** The next one to read. */
  row: number;
  /** Bytes of the texts before it. */
  length: number;
  readonly nulls: number[];
}

export function openColumn(name: string): OpenColumn {
  return { name, isBegun: false, row: 0, length: 0, nulls: [] };
}

/** How many rows are stored; an array that has more is counted to its end. */
export function capacityOf({ count, limits }: Payload): number {
  return count ?? limits.maxTimestamps;
}

/** Keeps the length of an array for the comparison with the timestamps, which may still be to come. */
export function noteLength({ count, unsure }: Payload, group: string, name: string, length: number): void {
  if (length !== count) unsure.push({ group, name, length });
}

/** The path of an element: `numericValues.Speed[17]`. Made for messages only. */
export function pathOf(payload: Payload, group: string, name: string, row?: number): string {
  return `${payload.prefix}${group}.${name}${row === undefined ? '' : `[${row}]`}`;
}
