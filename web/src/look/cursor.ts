import { signal } from '@preact/signals';
import type { Trace, TraceLoad } from './traces.ts';

/** The time under the pointer, ns; undefined where it is over no plot. */
export const cursorTime = signal<bigint | undefined>(undefined);

/** What a trace shows at a time: the last point at or before it. */
export interface CursorValue {
  readonly time: bigint;
  readonly text: string;
}

export function valueAt(trace: Trace, { origin }: TraceLoad, time: bigint): CursorValue | undefined {
  const x = Number(time - origin) / 1e9;
  const point = lastAtOrBefore(trace.x, x);
  if (point < 0) return undefined;
  const at = origin + BigInt(Math.round(trace.x[point]! * 1e9));
  if (trace.isRaw) return { time: at, text: exactText(trace.y[point]) };
  const low = point % 2 === 0 ? point : point - 1;
  return { time: at, text: `${numberText(trace.y[low])} … ${numberText(trace.y[low + 1])}` };
}

function lastAtOrBefore(sorted: Float64Array, x: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]! <= x) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** A number with every digit that it needs to be read back as the same. */
export function exactText(value: number | null | undefined): string {
  if (value === null || value === undefined) return '–';
  return Object.is(value, -0) ? '-0' : String(value);
}

/** A number for the eye: nine digits. */
export function numberText(value: number | null | undefined): string {
  if (value === null || value === undefined) return '–';
  return Number.isInteger(value) || !Number.isFinite(value)
    ? String(value)
    : String(Number(value.toPrecision(9)));
}
