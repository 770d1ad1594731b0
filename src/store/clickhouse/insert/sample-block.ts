import {
  doubles,
  indexesFor,
  integers,
  lowCardinality,
  type NativeBlock,
  type NativeColumn,
  nativeBlock,
  stringColumn,
  stringsOfBytes,
  wordsOf,
} from './native-block.ts';
import { bySeries, byTime, dictionary, seriesColumns, timesOf } from './series-columns.ts';
import type { SeriesValues } from './series-values.ts';

/** Rows for the table `samples`. */
export interface SampleBlock extends NativeBlock {
  /** Whether it is known that no identity stands in it twice. */
  readonly isDistinct: boolean;
}

/**
 * One block of all series. They stand in the order of the table, so that ClickHouse finds most blocks sorted. Which
 * value of an identity wins is said by its version, not by its place.
 */
export function sampleBlock(given: readonly SeriesValues[]): SampleBlock {
  const series = [...given].sort((a, b) => bySeries(a, b) || byTime(a, b));
  const rows = series.reduce((sum, { count }) => sum + count, 0);
  const columns: NativeColumn[] = [
    ...seriesColumns(series.map((one) => ({ series: one, rows: one.count }))),
    integers('timestamp', 'Int64', timesOf(series)),
  ];
  if (series.some(({ tags }) => tags.indexes !== undefined || tags.keys[0] !== '[]')) {
    columns.push(tagColumn(series, rows));
  }
  if (series.some(({ numbers }) => numbers !== undefined)) columns.push(numberColumn(series, rows));
  if (series.some(({ texts }) => texts !== undefined)) columns.push(textColumn(series));
  columns.push(repeated('version', 'UInt64', series, rows));
  if (series.some(({ retention }) => retention !== 0n)) {
    columns.push(repeated('retention', 'Int64', series, rows));
  }
  return { isDistinct: isDistinct(series), ...nativeBlock(rows, columns) };
}

/** Whether times rise strictly within each of a sorted list, and from one to the next of the same parameter. */
function isDistinct(series: readonly SeriesValues[]): boolean {
  return series.every((one, i) => {
    const before = series[i - 1];
    if (!one.ascending) return false;
    return before === undefined || bySeries(before, one) !== 0 || endsBefore(before, one);
  });
}

function endsBefore({ times, count }: SeriesValues, next: SeriesValues): boolean {
  const high = (times[2 * count - 1]! | 0) - (next.times[1]! | 0);
  return high < 0 || (high === 0 && times[2 * count - 2]! < next.times[0]!);
}

function tagColumn(series: readonly SeriesValues[], rows: number): NativeColumn {
  const { keys, numberOf } = dictionary();
  const perSeries = series.map(({ tags }) => tags.keys.map(numberOf));
  const indexes = indexesFor(keys.length, rows);
  let at = 0;
  for (const [i, { tags, count }] of series.entries()) {
    const numbers = perSeries[i]!;
    if (tags.indexes === undefined) indexes.fill(numbers[0]!, at, at + count);
    else for (let row = 0; row < count; row++) indexes[at + row] = numbers[tags.indexes[row]!]!;
    at += count;
  }
  return lowCardinality('tags', keys, indexes);
}

function numberColumn(series: readonly SeriesValues[], rows: number): NativeColumn {
  const values = new Float64Array(rows);
  let at = 0;
  for (const { numbers, count } of series) {
    if (numbers !== undefined) values.set(numbers, at);
    at += count;
  }
  return doubles('number', values);
}

/** So many pieces are better sent as one: each is written to the connection by itself. */
const manyPieces = 16;

function textColumn(series: readonly SeriesValues[]): NativeColumn {
  // A number has an empty text: its length, 0.
  const pieces = series.map(({ texts, count }) =>
    texts === undefined ? new Uint8Array(count) : stringsOfBytes(texts.bytes, texts.ends),
  );
  return stringColumn('text', pieces.length < manyPieces ? pieces : [Buffer.concat(pieces)]);
}

/** What all rows of a series have alike. */
function repeated(
  name: 'version' | 'retention',
  type: 'UInt64' | 'Int64',
  series: readonly SeriesValues[],
  rows: number,
): NativeColumn {
  const words = new Uint32Array(2 * rows);
  let at = 0;
  for (const { count, [name]: value } of series) {
    const [low, high] = wordsOf(value);
    for (let row = 0; row < count; row++) {
      words[at++] = low;
      words[at++] = high;
    }
  }
  return integers(name, type, words);
}
