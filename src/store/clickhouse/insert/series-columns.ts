import { compareText } from '../../../domain/tags.ts';
import { kindType } from '../server/kinds.ts';
import { enums, type Indexes, indexesFor, lowCardinality, type NativeColumn } from './native-block.ts';
import type { SeriesValues } from './series-values.ts';

// The columns of `windows` that name a series.

/** Rows of one series that follow one another in a block. */
export interface SeriesRows {
  readonly series: SeriesValues;
  readonly rows: number;
}

export function seriesColumns(runs: readonly SeriesRows[]): NativeColumn[] {
  const rows = runs.reduce((sum, run) => sum + run.rows, 0);
  return [
    keyColumn('workspace', runs, rows, ({ workspace }) => workspace),
    keyColumn('topic', runs, rows, ({ topic }) => topic),
    keyColumn('stream', runs, rows, ({ stream }) => stream),
    keyColumn('parameter', runs, rows, ({ parameter }) => parameter),
    kindColumn(runs, rows),
  ];
}

/** The times of all series, one after another. */
export function timesOf(series: readonly SeriesValues[]): Uint32Array {
  const words = new Uint32Array(series.reduce((sum, { times }) => sum + times.length, 0));
  let at = 0;
  for (const { times } of series) {
    words.set(times, at);
    at += times.length;
  }
  return words;
}

/** Whether one series stands before another in the sort key. */
export function bySeries(a: SeriesValues, b: SeriesValues): number {
  return (
    compareText(a.workspace, b.workspace) ||
    compareText(a.topic, b.topic) ||
    compareText(a.stream, b.stream) ||
    compareText(a.parameter, b.parameter) ||
    a.kind - b.kind
  );
}

/** Which of two series begins earlier: signed, so by the high word first. Ties are left to ClickHouse. */
export function byTime(a: SeriesValues, b: SeriesValues): number {
  return (a.times[1]! | 0) - (b.times[1]! | 0) || a.times[0]! - b.times[0]!;
}

/** Numbers for keys in the order in which they are met. */
export function dictionary(): { readonly keys: string[]; numberOf(key: string): number } {
  const keys: string[] = [];
  const numbers = new Map<string, number>();
  return {
    keys,
    numberOf(key) {
      let number = numbers.get(key);
      if (number === undefined) {
        number = keys.push(key) - 1;
        numbers.set(key, number);
      }
      return number;
    },
  };
}

function keyColumn(
  name: string,
  runs: readonly SeriesRows[],
  rows: number,
  keyOf: (one: SeriesValues) => string,
): NativeColumn {
  const { keys, numberOf } = dictionary();
  const numbers = runs.map(({ series }) => numberOf(keyOf(series)));
  const indexes = indexesFor(keys.length, rows);
  fillRows(indexes, runs, (_series, i) => numbers[i]!);
  return lowCardinality(name, keys, indexes);
}

function kindColumn(runs: readonly SeriesRows[], rows: number): NativeColumn {
  const kinds = new Uint8Array(rows);
  fillRows(kinds, runs, ({ kind }) => kind);
  return enums('kind', kindType, kinds);
}

function fillRows(
  target: Indexes,
  runs: readonly SeriesRows[],
  numberOf: (series: SeriesValues, i: number) => number,
): void {
  let at = 0;
  for (const [i, { series, rows }] of runs.entries()) {
    target.fill(numberOf(series, i), at, at + rows);
    at += rows;
  }
}
