import {
  type BytesColumn,
  type Column,
  isPresent,
  Kind,
  type NumericColumn,
  type Presence,
  type Rows,
} from '../../../domain/parameter-data.ts';
import type { VersionSource } from '../server/version-clock.ts';

/** Values of one parameter of one stream, in the order in which they were written; nobody else has its arrays. */
export interface SeriesValues {
  readonly workspace: string;
  /** Folded to lower case. */
  readonly topic: string;
  readonly stream: string;
  readonly parameter: string;
  readonly kind: Kind;
  readonly count: number;
  /** Timestamps in ns as pairs of words, the low one first; columns of the same rows may share them. */
  readonly times: Uint32Array;
  readonly tags: SeriesTags;
  /** Doubles of numbers, undefined for the rest. */
  readonly numbers: Float64Array | undefined;
  /** Strings, events and binaries: value i ends at `ends[i]`. */
  readonly texts: { readonly bytes: Uint8Array; readonly ends: Uint32Array } | undefined;
  /** Whether the times rise strictly: then no identity stands twice. */
  readonly ascending: boolean;
  readonly version: bigint;
  /** What is added to the version of value i, where values may replace one another and say so by their versions. */
  readonly steps: Uint32Array | undefined;
  /** Nanoseconds, 0 = for ever. */
  readonly retention: bigint;
}

export interface SeriesTags {
  /** Canonical texts of tag sets, each once. */
  readonly keys: readonly string[];
  /** Per value an index into `keys`; undefined means that every value has the first. */
  readonly indexes: Uint32Array | undefined;
}

export interface SeriesOwner {
  readonly workspace: string;
  readonly topic: string;
  readonly stream: string;
  readonly retention: bigint;
}

/** How versions tell which of two values of one identity in a request is the later one, or `series-order.ts` does. */
export type RowVersions = 'of each row' | 'of the request';

/**
 * Copies rows into series: one for each column that has values. Of equal identities in the rows the later one wins, value by
 * value: versions rise from row to row, unless times do, which then repeat no identity; or all have one version, and
 * `series-order.ts` leaves the later one.
 */
export function seriesOf(
  owner: SeriesOwner,
  rows: Rows,
  clock: VersionSource,
  versions: RowVersions = 'of each row',
): SeriesValues[] {
  if (rows.count === 0) return [];
  const { times, ascending } = timesOf(rows);
  const isOne = ascending || versions === 'of the request';
  const version = clock.next(isOne ? 1 : rows.count);
  const { keys, indexes } = tagsOf(rows);
  const everyStep = isOne ? undefined : stepsOf(rows.count);
  const everyTags = { keys, indexes };
  const series: SeriesValues[] = [];
  for (const column of rows.columns) {
    const chosen = chosenRows(column.present, rows.count);
    if (chosen === undefined) {
      const { count } = rows;
      const numbers = column.kind === Kind.Numeric ? column.values.slice(0, count) : undefined;
      const texts = column.kind === Kind.Numeric ? undefined : textsOf(column, count);
      series.push(
        valuesOf(
          owner,
          column,
          version,
          { count, times, tags: everyTags, ascending, steps: everyStep },
          numbers,
          texts,
        ),
      );
    } else if (chosen.length > 0) {
      const place = {
        count: chosen.length,
        times: pick(times, chosen, 2),
        tags: { keys, indexes: indexes === undefined ? undefined : pick(indexes, chosen, 1) },
        ascending,
        steps: everyStep === undefined ? undefined : chosen,
      };
      const numbers = column.kind === Kind.Numeric ? chosenNumbers(column, chosen) : undefined;
      const texts = column.kind === Kind.Numeric ? undefined : chosenTexts(column, chosen);
      series.push(valuesOf(owner, column, version, place, numbers, texts));
    }
  }
  return series;
}

function tagsOf({ count, tagSets, tagIndex }: Rows): SeriesTags {
  const keys = [...new Set(tagSets.map(({ key }) => key))];
  const indexes = tagIndex?.slice(0, count);
  if (keys.length === tagSets.length || indexes === undefined) return { keys, indexes };
  const places = tagSets.map(({ key }) => keys.indexOf(key));
  return { keys, indexes: indexes.map((set) => places[set]!) };
}

/** Field by field: spreading objects took most of the time of a small request. */
function valuesOf(
  { workspace, topic, stream, retention }: SeriesOwner,
  { name: parameter, kind }: Column,
  version: bigint,
  {
    count,
    times,
    tags,
    ascending,
    steps,
  }: Pick<SeriesValues, 'count' | 'times' | 'tags' | 'ascending' | 'steps'>,
  numbers: SeriesValues['numbers'],
  texts: SeriesValues['texts'],
): SeriesValues {
  return {
    workspace,
    topic,
    stream,
    parameter,
    kind,
    count,
    times,
    tags,
    numbers,
    texts,
    ascending,
    version,
    steps,
    retention,
  };
}

/** The first and the last version of the values. */
export function versionsOf({ version, steps }: SeriesValues): readonly [first: bigint, last: bigint] {
  return [version + BigInt(steps?.[0] ?? 0), version + BigInt(steps?.at(-1) ?? 0)];
}

/** Bytes of memory that the values hold; arrays that several share are counted for each. */
export function seriesBytes({ times, numbers, texts, tags }: SeriesValues): number {
  const textBytes = texts === undefined ? 0 : texts.bytes.length + texts.ends.byteLength;
  return 200 + times.byteLength + (numbers?.byteLength ?? 0) + textBytes + (tags.indexes?.byteLength ?? 0);
}

/** Bytes that count towards the limit of a workspace. */
export function valueBytes({ count, texts }: SeriesValues): number {
  return 8 * count + (texts?.bytes.length ?? 0);
}

function timesOf({ count, base, offsets }: Rows): { times: Uint32Array; ascending: boolean } {
  const times = new Uint32Array(2 * count);
  const bits = BigInt.asUintN(64, base);
  const baseLow = Number(bits & 0xffffffffn);
  const baseHigh = Number(bits >> 32n);
  let ascending = true;
  let last = -1;
  for (let i = 0; i < count; i++) {
    const offset = offsets[i]!;
    if (offset <= last) ascending = false;
    last = offset;
    const high = Math.floor(offset / 0x100000000);
    // Of at most 33 bits, so exact; the words take their lowest 32.
    const low = baseLow + (offset - high * 0x100000000);
    times[2 * i] = low;
    times[2 * i + 1] = baseHigh + high + (low >= 0x100000000 ? 1 : 0);
  }
  return { times, ascending };
}

function stepsOf(count: number): Uint32Array {
  const steps = new Uint32Array(count);
  for (let i = 0; i < count; i++) steps[i] = i;
  return steps;
}

/** The rows that have a value, undefined where all do. */
function chosenRows(present: Presence, count: number): Uint32Array | undefined {
  if (present === undefined) return undefined;
  const chosen = new Uint32Array(count);
  let found = 0;
  for (let row = 0; row < count; row++) if (isPresent(present, row)) chosen[found++] = row;
  return found === count ? undefined : chosen.slice(0, found);
}

/** Some of a series' values in an order of their own; `chosen` are their places. It has one version. */
export function pickValues(series: SeriesValues, chosen: Uint32Array, ascending: boolean): SeriesValues {
  const { times, tags, numbers, texts } = series;
  return {
    ...series,
    count: chosen.length,
    times: pick(times, chosen, 2),
    tags: {
      keys: tags.keys,
      indexes: tags.indexes === undefined ? undefined : pick(tags.indexes, chosen, 1),
    },
    numbers: numbers === undefined ? undefined : chosenNumbers({ values: numbers }, chosen),
    texts: texts === undefined ? undefined : chosenTexts(texts, chosen),
    ascending,
  };
}

function pick(from: Uint32Array, chosen: Uint32Array, width: 1 | 2): Uint32Array {
  const picked = new Uint32Array(chosen.length * width);
  for (let i = 0; i < chosen.length; i++) {
    const row = chosen[i]!;
    if (width === 1) picked[i] = from[row]!;
    else {
      picked[2 * i] = from[2 * row]!;
      picked[2 * i + 1] = from[2 * row + 1]!;
    }
  }
  return picked;
}

function textsOf({ bytes, ends: allEnds }: BytesColumn, count: number): SeriesValues['texts'] {
  const ends = allEnds.slice(0, count);
  return { bytes: bytes.slice(0, ends[count - 1]!), ends };
}

function chosenNumbers({ values }: Pick<NumericColumn, 'values'>, chosen: Uint32Array): Float64Array {
  const numbers = new Float64Array(chosen.length);
  for (let i = 0; i < chosen.length; i++) numbers[i] = values[chosen[i]!]!;
  return numbers;
}

function chosenTexts(
  column: Pick<BytesColumn, 'bytes' | 'ends'>,
  chosen: Uint32Array,
): NonNullable<SeriesValues['texts']> {
  const begin = (row: number) => (row === 0 ? 0 : column.ends[row - 1]!);
  let size = 0;
  for (const row of chosen) size += column.ends[row]! - begin(row);
  const bytes = new Uint8Array(size);
  const ends = new Uint32Array(chosen.length);
  let at = 0;
  for (let i = 0; i < chosen.length; i++) {
    const row = chosen[i]!;
    bytes.set(column.bytes.subarray(begin(row), column.ends[row]!), at);
    at += column.ends[row]! - begin(row);
    ends[i] = at;
  }
  return { bytes, ends };
}
