import { type Column, Kind, type Rows } from '../../../src/domain/parameter-data.ts';
import { noTags, type TagPair, type TagSet, tagSet } from '../../../src/domain/tags.ts';

/** A cell of a test row: a number, a string, bytes, or null for no value. */
export type Cell = number | string | Uint8Array | null;

export interface TestRow {
  readonly time: bigint;
  readonly tags?: readonly TagPair[];
  readonly cells: Readonly<Record<string, Cell>>;
}

/** Rows as the wire would give them; each parameter name has one kind. */
export function rowsOf(rows: readonly TestRow[]): Rows {
  const base = rows.reduce((least, { time }) => (time < least ? time : least), rows[0]!.time);
  const tagSets: TagSet[] = [];
  const tagIndex = new Uint32Array(rows.length);
  rows.forEach(({ tags }, i) => {
    const set = tags === undefined ? noTags : tagSet(tags);
    let index = tagSets.findIndex(({ key }) => key === set.key);
    if (index < 0) index = tagSets.push(set) - 1;
    tagIndex[i] = index;
  });
  const names = [...new Set(rows.flatMap(({ cells }) => Object.keys(cells)))];
  return {
    count: rows.length,
    base,
    offsets: Float64Array.from(rows, ({ time }) => Number(time - base)),
    tagSets,
    tagIndex: tagSets.length === 1 ? undefined : tagIndex,
    columns: names.map((name) =>
      columnOf(
        name,
        rows.map(({ cells }) => cells[name] ?? null),
      ),
    ),
  };
}

function columnOf(name: string, cells: readonly Cell[]): Column {
  const present = cells.includes(null) ? bitmap(cells) : undefined;
  const sample = cells.find((cell) => cell !== null);
  if (typeof sample === 'number') {
    return {
      kind: Kind.Numeric,
      name,
      values: Float64Array.from(cells, (cell) => Number(cell ?? 0)),
      present,
    };
  }
  const values = cells.map((cell) => Buffer.from((cell ?? '') as string));
  const ends = new Uint32Array(cells.length);
  values.forEach((value, i) => {
    ends[i] = (ends[i - 1] ?? 0) + value.length;
  });
  const kind = typeof sample === 'string' ? Kind.String : Kind.Binary;
  return { kind, name, bytes: Buffer.concat(values), ends, present };
}

function bitmap(cells: readonly Cell[]): Uint8Array {
  const bits = new Uint8Array((cells.length + 7) >> 3);
  cells.forEach((cell, i) => {
    if (cell !== null) bits[i >> 3]! |= 1 << (i & 7);
  });
  return bits;
}
