import type { Column } from '../domain/parameter-data.ts';
import type { Scan } from './json-scanner.ts';
import type { PayloadLimits } from './payload-limits.ts';
import type { Scratch } from './scratch.ts';

/** A payload while it is read, property by property. */
export interface Payload {
  readonly scan: Scan;
  readonly limits: PayloadLimits;
  readonly scratch: Scratch;
  /** What stands before each path: empty, or `[3].` for the fourth entry of a batch. */
  readonly prefix: string;
  /** How many rows are kept: those of the timestamps once they are known; more are counted, not stored. */
  capacity: number;
  readonly columns: Column[];
  /** The length of every array beside the timestamps. */
  readonly lengths: { readonly group: string; readonly name: string; readonly length: number }[];
}

/** The path of an element: `numericValues.Speed[17]`. Made for messages only. */
export function pathOf(payload: Payload, group: string, name: string, row?: number): string {
  return `${payload.prefix}${group}.${name}${row === undefined ? '' : `[${row}]`}`;
}
