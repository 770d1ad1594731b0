import type { Column } from '../domain/parameter-data.ts';
import type { Scan } from './json-scanner.ts';
import type { PayloadLimits } from './payload-limits.ts';
import type { Scratch } from './scratch.ts';
import type { TagMemory } from './tag-memory.ts';

/** A payload while it is read, property by property. */
export interface Payload {
  readonly scan: Scan;
  readonly limits: PayloadLimits;
  readonly scratch: Scratch;
  /** Of the whole body. */
  readonly tagMemory: TagMemory;
  /** What stands before each path: empty, or `[3].` for the fourth entry of a batch. */
  readonly prefix: string;
  /** The number of timestamps, once they are known. */
  count: number | undefined;
  readonly columns: Column[];
  /** The arrays that have another length, or were read before. */
  readonly unsure: { readonly group: string; readonly name: string; readonly length: number }[];
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
