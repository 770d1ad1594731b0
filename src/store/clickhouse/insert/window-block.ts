import { lengthsOfForm } from '../server/window-lengths.ts';
import { scaleInto } from './decimals.ts';
import {
  arrays,
  doubles,
  endsOf,
  integers,
  joinedWords,
  type NativeBlock,
  type NativeColumn,
  nativeBlock,
  stringColumn,
  strings,
  stringsOfBytes,
  tuples,
  wordsOf,
  wordsOfNumbers,
} from './native-block.ts';
import { bySeries, byTime, seriesColumns, timesOf } from './series-columns.ts';
import type { SeriesValues } from './series-values.ts';
import type { WindowLevels } from './window-levels.ts';
import { type WindowRows, windowRows } from './window-rows.ts';
import { sumColumns } from './window-sums.ts';

/** The retention of values that never expire. */
export const windowsForEver = 2n ** 63n - 1n;

/**
 * One block of all series for the table `windows`, in its order. Of a series that stands several times each has its own rows, which
 * merges join.
 *
 * @param series in the order in which they came, each in the order of time and with each identity once
 */
export function windowBlock(series: readonly SeriesValues[], levels: WindowLevels): NativeBlock {
  const cut = series.map((one) => windowRows(one, levels.levelOf(one)));
  cut.sort((a, b) => bySeries(a.series, b.series) || a.level - b.level || byTime(a.series, b.series));
  const rows = cut.flatMap((one) => one.rows);
  const columns: NativeColumn[] = [
    ...seriesColumns(cut.map((one) => ({ series: one.series, rows: one.rows.length }))),
    integers('level', 'UInt8', Uint8Array.from(eachRow(cut, ({ level }) => level))),
    integers('window', 'Int64', joinedWords(rows.map(({ window }) => window))),
    integers('first', 'Int64', joinedWords(rows.map(({ first }) => first))),
    integers('last', 'Int64', joinedWords(rows.map(({ last }) => last))),
    integers('count', 'UInt64', wordsOfNumbers(rows.map(({ count }) => count))),
    integers('bytes', 'UInt64', wordsOfNumbers(rowBytes(cut))),
    integers('version', 'UInt64', joinedWords(eachRow(cut, ({ series: { version } }) => wordsOf(version)))),
    pieceColumn(cut),
    arrays(valueEnds(cut), integers('times', 'Int64', timesOf(cut.map(({ series }) => series)))),
  ];
  if (cut.some((one) => one.series.retention !== 0n)) columns.push(retentionColumn(cut));
  if (cut.some(isNumeric)) columns.push(...numberColumns(cut), ...sumColumns(cut));
  if (cut.some((one) => one.series.texts !== undefined)) columns.push(textColumn(cut));
  return nativeBlock(rows.length, columns);
}

function eachRow<Value>(cut: readonly WindowRows[], wanted: (one: WindowRows) => Value): Value[] {
  return cut.flatMap((one) => {
    const value = wanted(one);
    return one.rows.map(() => value);
  });
}

/** Bytes that count towards the limit of a workspace: 8 a value and those of texts. */
function rowBytes(cut: readonly WindowRows[]): number[] {
  return cut.flatMap(({ series: { texts }, rows }) => {
    let at = 0;
    return rows.map(({ count }) => {
      const before = at === 0 ? 0 : (texts?.ends[at - 1] ?? 0);
      at += count;
      return 8 * count + (texts === undefined ? 0 : texts.ends[at - 1]! - before);
    });
  });
}

function pieceColumn(cut: readonly WindowRows[]): NativeColumn {
  const all = cut.flatMap((one) => one.pieces);
  const tags = strings(cut.flatMap((one) => one.pieces.map((piece) => one.series.tags.keys[piece.tags]!)));
  const versions = cut.flatMap((one) => {
    const version = wordsOf(one.series.version);
    return one.pieces.map(() => version);
  });
  const elements = [
    stringColumn('tags', [tags]),
    integers('first', 'Int64', joinedWords(all.map(({ first }) => first))),
    integers('last', 'Int64', joinedWords(all.map(({ last }) => last))),
    integers('version', 'UInt64', joinedWords(versions)),
    integers(
      'count',
      'UInt32',
      Uint32Array.from(all, ({ count }) => count),
    ),
  ];
  const ends = endsOf(cut.flatMap(({ rows }) => rows.map(({ pieces }) => pieces)));
  return arrays(ends, tuples('pieces', elements));
}

function valueEnds(cut: readonly WindowRows[], isIn: (one: WindowRows) => boolean = () => true): number[] {
  return endsOf(
    cut.flatMap((one) => {
      const hasValues = isIn(one);
      return one.rows.map(({ count }) => (hasValues ? count : 0));
    }),
  );
}

function isNumeric({ series }: WindowRows): boolean {
  return series.numbers !== undefined;
}

/** Numbers as doubles and as integers, each where there are any; a row has one of them. */
function numberColumns(cut: readonly WindowRows[]): NativeColumn[] {
  const isScaled = (one: WindowRows) => one.level >= lengthsOfForm;
  const isDouble = (one: WindowRows) => isNumeric(one) && !isScaled(one);
  const columns: NativeColumn[] = [];
  if (cut.some(isDouble)) {
    const values = new Float64Array(countOf(cut, isDouble));
    let at = 0;
    for (const { series } of cut.filter(isDouble)) {
      values.set(series.numbers!, at);
      at += series.count;
    }
    columns.push(arrays(valueEnds(cut, isDouble), doubles('numbers', values)));
  }
  if (cut.some(isScaled)) {
    const words = new Uint32Array(2 * countOf(cut, isScaled));
    let at = 0;
    for (const { series, level } of cut.filter(isScaled)) {
      scaleInto(words, at, series.numbers!, Math.floor(level / lengthsOfForm) - 1);
      at += 2 * series.count;
    }
    columns.push(arrays(valueEnds(cut, isScaled), integers('scaled', 'Int64', words)));
  }
  return columns;
}

function countOf(cut: readonly WindowRows[], isIn: (one: WindowRows) => boolean): number {
  return cut.reduce((sum, one) => sum + (isIn(one) ? one.series.count : 0), 0);
}

function textColumn(cut: readonly WindowRows[]): NativeColumn {
  const isIn = ({ series: { texts } }: WindowRows) => texts !== undefined;
  const texts = cut.flatMap(({ series }) =>
    series.texts === undefined ? [] : [stringsOfBytes(series.texts.bytes, series.texts.ends)],
  );
  return arrays(valueEnds(cut, isIn), stringColumn('texts', [Buffer.concat(texts)]));
}

function retentionColumn(cut: readonly WindowRows[]): NativeColumn {
  const retentions = eachRow(cut, ({ series: { retention } }) =>
    wordsOf(retention === 0n ? windowsForEver : retention),
  );
  return integers('retention', 'Int64', joinedWords(retentions));
}
