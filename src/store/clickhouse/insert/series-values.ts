import {
  type BytesColumn,
  isPresent,
  Kind,
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
  /** The version of all values. */
  readonly version: bigint;
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

/**
 * Copies rows into series: one for each column that has values. All have one version: of equal identities in the rows
 * `series-order.ts` leaves the later one, value by value.
 */
export function seriesOf(owner: SeriesOwner, rows: Rows, clock: VersionSource): SeriesValues[] {
  const { count } = rows;
  if (count === 0) return [];
  const { workspace, topic, stream, retention } = owner;
  const { times, ascending } = timesOf(rows);
  const tags = tagsOf(rows);
  const version = clock.next();
  const series: SeriesValues[] = [];
  for (const column of rows.columns) {
    const chosen = chosenRows(column.present, count);
    if (chosen?.length === 0) continue;
    // Field by field: spreading objects took most of the time of a small request.
    series.push({
      workspace,
      topic,
      stream,
      parameter: column.name,
      kind: column.kind,
      count: chosen?.length ?? count,
      times: chosen === undefined ? times : pick(times, chosen, 2),
      tags: chosen === undefined ? tags : pickTags(tags, chosen),
      numbers: column.kind === Kind.Numeric ? numbersOf(column.values, chosen, count) : undefined,
      texts: column.kind === Kind.Numeric ? undefined : textsOf(column, chosen, count),
      ascending,
      version,
      retention,
    });
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

/** The rows that have a value, undefined where all do. */
function chosenRows(present: Presence, count: number): Uint32Array | undefined {
  if (present === undefined) return undefined;
  const chosen = new Uint32Array(count);
  let found = 0;
  for (let row = 0; row < count; row++) if (isPresent(present, row)) chosen[found++] = row;
  return found === count ? undefined : chosen.slice(0, found);
}

/** Some of a series' values in an order of their own; `chosen` are their places. */
export function pickValues(series: SeriesValues, chosen: Uint32Array, ascending: boolean): SeriesValues {
  const { times, tags, numbers, texts } = series;
  const count = chosen.length;
  return {
    ...series,
    count,
    times: pick(times, chosen, 2),
    tags: pickTags(tags, chosen),
    numbers: numbers && numbersOf(numbers, chosen, count),
    texts: texts && textsOf(texts, chosen, count),
    ascending,
  };
}

function pickTags({ keys, indexes }: SeriesTags, chosen: Uint32Array): SeriesTags {
  return { keys, indexes: indexes === undefined ? undefined : pick(indexes, chosen, 1) };
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

/** A copy of some numbers, or of the first `count`. */
function numbersOf(values: Float64Array, chosen: Uint32Array | undefined, count: number): Float64Array {
  if (chosen === undefined) return values.slice(0, count);
  const numbers = new Float64Array(chosen.length);
  for (let i = 0; i < chosen.length; i++) numbers[i] = values[chosen[i]!]!;
  return numbers;
}

/** The same of texts. */
function textsOf(
  column: Pick<BytesColumn, 'bytes' | 'ends'>,
  chosen: Uint32Array | undefined,
  count: number,
): NonNullable<SeriesValues['texts']> {
  if (chosen === undefined)
    return { bytes: column.bytes.slice(0, column.ends[count - 1]!), ends: column.ends.slice(0, count) };
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
