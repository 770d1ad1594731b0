import type { ParameterData } from '../../../src/client/models.ts';
import type { TimeRange } from '../state/view-text.ts';
import { bucketGaps, gapsOf } from './gaps.ts';

/** What is drawn as a line. */
export interface Line {
  /** Where each point is drawn across. */
  readonly x: Float64Array;
  /** Smallest and largest value of each; NaN where it has no number. */
  readonly low: Float64Array;
  readonly high: Float64Array;
  /** 1 where no line leads to a point from the one before. */
  readonly gaps: Uint8Array;
}

/** What is drawn of one parameter, in order of time: points that are rows as they were written, or buckets of rows. */
export interface Points extends Line {
  /** Length of time of a bucket, ns; undefined where points are rows. */
  readonly bucket: bigint | undefined;
  /** How many rows a point stands for. */
  rows(point: number): number;
  /** Times that a point stands for, ns, inclusive: of a row both are its own. */
  span(point: number): TimeRange;
}

/** Where a time is drawn across; undefined where it has no place. */
export type Place = (time: bigint) => number | undefined;

/** Rows of a parameter. Those of one time, which have different tags, are one point. */
export function rowPoints(data: ParameterData, parameter: string, place: Place): Points {
  const times: bigint[] = [];
  const [x, low, high, rows]: number[][] = [[], [], [], []];
  for (const [row, value] of (data.numericValues[parameter] ?? []).entries()) {
    const time = data.timestamps[row]!;
    if (value === null) continue;
    const last = times.length - 1;
    if (times[last] === time) {
      low![last] = least(low![last]!, value);
      high![last] = most(high![last]!, value);
      rows![last]!++;
      continue;
    }
    const at = place(time);
    if (at === undefined) continue;
    times.push(time);
    x!.push(at);
    low!.push(value);
    high!.push(value);
    rows!.push(1);
  }
  const [first = 0n] = times;
  return {
    x: Float64Array.from(x!),
    low: Float64Array.from(low!),
    high: Float64Array.from(high!),
    gaps: gapsOf(times.map((time) => Number(time - first))),
    bucket: undefined,
    rows: (point) => rows![point]!,
    span: (point) => ({ from: times[point]!, to: times[point]! }),
  };
}

/** When the buckets of an answer are: the same for all of its parameters. */
export interface Buckets {
  /** ns. */
  readonly bucket: bigint;
  readonly times: readonly bigint[];
  /** The same from the first of them on. */
  readonly starts: Float64Array;
  /** Where the middle of each is drawn; NaN where that has no place. */
  readonly middles: Float64Array;
}

export function bucketsAt(times: readonly bigint[], bucket: bigint, place: Place): Buckets {
  const [first = 0n] = times;
  const half = bucket / 2n;
  const starts = new Float64Array(times.length);
  const middles = new Float64Array(times.length);
  for (let i = 0; i < times.length; i++) {
    const time = times[i]!;
    starts[i] = Number(time - first);
    middles[i] = place(time + half) ?? Number.NaN;
  }
  return { bucket, times, starts, middles };
}

/**
 * Buckets with `min(…)`, `max(…)` and `count(…)` of a parameter, drawn at their middle. `range` is what was asked for. The
 * first picture waits for this: plain loops, and no object for each point.
 */
export function bucketPoints(
  { numericValues }: Pick<ParameterData, 'numericValues'>,
  parameter: string,
  { bucket, times, starts, middles }: Buckets,
  range: TimeRange,
): Points {
  const column = (name: string) => numericValues[`${name}(${parameter})`] ?? [];
  const [lows, highs, counts] = [column('min'), column('max'), column('count')];
  const drawn: number[] = [];
  for (let i = 0; i < times.length; i++)
    if ((counts[i] ?? 0) > 0 && !Number.isNaN(middles[i]!)) drawn.push(i);
  const numbers = (of: (i: number) => number) => {
    const found = new Float64Array(drawn.length);
    for (let point = 0; point < found.length; point++) found[point] = of(drawn[point]!);
    return found;
  };
  const rows = numbers((i) => counts[i]!);
  return {
    x: numbers((i) => middles[i]!),
    low: numbers((i) => lows[i] ?? Number.NaN),
    high: numbers((i) => highs[i] ?? Number.NaN),
    gaps: bucketGaps(
      numbers((i) => starts[i]!),
      rows,
      Number(bucket),
    ),
    bucket,
    rows: (point) => rows[point]!,
    span: (point) => spanOf(times[drawn[point]!]!, bucket, range),
  };
}

export const noPoints: Points = {
  x: new Float64Array(),
  low: new Float64Array(),
  high: new Float64Array(),
  gaps: new Uint8Array(),
  bucket: undefined,
  rows: () => 0,
  span: () => ({ from: 0n, to: 0n }),
};

/** The times of a bucket that were asked for: the first and the last bucket may reach beyond. */
export function spanOf(start: bigint, bucket: bigint, { from, to }: TimeRange): TimeRange {
  const end = start + bucket - 1n;
  return { from: start > from ? start : from, to: end < to ? end : to };
}

/** NaN is less than no number. */
function least(a: number, b: number): number {
  return a <= b || Number.isNaN(b) ? a : b;
}

function most(a: number, b: number): number {
  return a >= b || Number.isNaN(b) ? a : b;
}
