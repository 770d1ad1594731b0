import {
  doubles,
  indexesFor,
  integers,
  lowCardinality,
  type NativeColumn,
  nativeBlock,
  stringColumn,
  stringsOfBytes,
} from './native-block.ts';
import { bySeries, byTime, dictionary, seriesColumns } from './series-columns.ts';
import type { SeriesValues } from './series-values.ts';

/** Rows for the table `samples`, ready to be sent. */
export interface SampleBlock {
  /** In the order of the block's; columns that are left out have their default in every row. */
  readonly columns: readonly string[];
  readonly pieces: readonly Uint8Array[];
  readonly rows: number;
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
    timeColumn(series, rows),
  ];
  if (series.some(({ tags }) => tags.indexes !== undefined || tags.keys[0] !== '[]')) {
    columns.push(tagColumn(series, rows));
  }
  if (series.some(({ numbers }) => numbers !== undefined)) columns.push(numberColumn(series, rows));
  if (series.some(({ texts }) => texts !== undefined)) columns.push(textColumn(series));
  columns.push(versionColumn(series, rows));
  if (series.some(({ retention }) => retention !== 0n)) columns.push(retentionColumn(series, rows));
  return {
    columns: columns.map(({ name }) => name),
    pieces: nativeBlock(rows, columns),
    rows,
    isDistinct: isDistinct(series),
  };
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

function timeColumn(series: readonly SeriesValues[], rows: number): NativeColumn {
  const words = new Uint32Array(2 * rows);
  let at = 0;
  for (const { times } of series) {
    words.set(times, at);
    at += times.length;
  }
  return integers('timestamp', 'Int64', words);
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

function versionColumn(series: readonly SeriesValues[], rows: number): NativeColumn {
  const words = new Uint32Array(2 * rows);
  let at = 0;
  for (const { version, count } of series) {
    const low = Number(version & 0xffffffffn);
    const high = Number(version >> 32n);
    for (let row = 0; row < count; row++) {
      words[at++] = low;
      words[at++] = high;
    }
  }
  return integers('version', 'UInt64', words);
}

function retentionColumn(series: readonly SeriesValues[], rows: number): NativeColumn {
  const words = new Uint32Array(2 * rows);
  let at = 0;
  for (const { retention, count } of series) {
    const low = Number(retention & 0xffffffffn);
    const high = Number(retention >> 32n);
    for (let row = 0; row < count; row++) {
      words[at++] = low;
      words[at++] = high;
    }
  }
  return integers('retention', 'Int64', words);
}
