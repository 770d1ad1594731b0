import fc from 'fast-check';
import { isPresent, Kind } from '../../../src/domain/parameter-data.ts';
import { compareTagSets, noTags, type TagSet, tagSet } from '../../../src/domain/tags.ts';
import type { PartFile } from '../../../src/store/embedded/parts/part-bytes.ts';
import {
  createPartWriter,
  type PartOrigin,
  type PartSummary,
} from '../../../src/store/embedded/parts/part-writer.ts';
import type { GroupColumn, RowGroup } from '../../../src/store/embedded/rows/row-group.ts';

/** A row as a person would write it: values by parameter; strings stand for strings, binaries and events. */
export interface PlainRow {
  readonly offset: number;
  readonly tags: TagSet;
  readonly values: Readonly<Record<number, number | string>>;
}

/** Kinds of the parameters in these tests: by their number modulo 4, two of four being numeric; 9 is an event. */
export function kindOf(parameter: number): Kind {
  if (parameter === 9) return Kind.Event;
  return ([Kind.Numeric, Kind.String, Kind.Binary, Kind.Numeric] as const)[parameter % 4]!;
}

/** The rows as they stand, in a group whose dictionary has a set that no row uses. */
export function groupOf(stream: number, rows: readonly PlainRow[]): RowGroup {
  const tagSets: TagSet[] = [tagSet([['unused', 'x']])];
  const tagIndex = Uint32Array.from(rows, ({ tags }) => {
    const found = tagSets.findIndex((set) => set.key === tags.key);
    return found >= 0 ? found : tagSets.push(tags) - 1;
  });
  const plain = rows.every(({ tags }) => tags === noTags);
  const names = new Set<string>();
  for (const { values } of rows) for (const name in values) names.add(name);
  const parameters = [...names].map(Number).sort((a, b) => a - b);
  return {
    stream,
    count: rows.length,
    offsets: Float64Array.from(rows, ({ offset }) => offset),
    tagSets: plain ? [noTags] : tagSets,
    tagIndex: plain ? undefined : tagIndex,
    columns: parameters.map((parameter) => columnOf(parameter, rows)),
  };
}

function columnOf(parameter: number, rows: readonly PlainRow[]): GroupColumn {
  const cells = rows.map(({ values }) => values[parameter]);
  const bitmap = new Uint8Array((rows.length + 7) >> 3);
  cells.forEach((cell, row) => {
    if (cell !== undefined) bitmap[row >> 3]! |= 1 << (row & 7);
  });
  const present = cells.includes(undefined) ? bitmap : undefined;
  const kind = kindOf(parameter);
  if (kind === Kind.Numeric) {
    return { parameter, kind, values: Float64Array.from(cells, (cell) => Number(cell ?? 12345)), present };
  }
  const parts = cells.map((cell) => Buffer.from(String(cell ?? ''), 'latin1'));
  let end = 0;
  const ends = Uint32Array.from(parts, (part) => {
    end += part.length;
    return end;
  });
  return { parameter, kind, bytes: Buffer.concat(parts), ends, present };
}

export function rowsOf(group: RowGroup): PlainRow[] {
  return Array.from({ length: group.count }, (_, row) => ({
    offset: group.offsets[row]!,
    tags: group.tagSets[group.tagIndex?.[row] ?? 0]!,
    values: Object.fromEntries(
      group.columns
        .filter(({ present }) => isPresent(present, row))
        .map((column) => [column.parameter, cellOf(column, row)]),
    ),
  }));
}

function cellOf(column: GroupColumn, row: number): number | string {
  if (!('ends' in column)) return column.values[row]!;
  const start = row === 0 ? 0 : column.ends[row - 1]!;
  return Buffer.from(column.bytes.subarray(start, column.ends[row])).toString('latin1');
}

/** What merging means, in the plainest way: a map of identities, later rows over earlier ones. */
export function mergedRows(groups: readonly (readonly PlainRow[])[]): PlainRow[] {
  const byIdentity = new Map<string, PlainRow>();
  for (const row of groups.flat()) {
    const identity = `${row.offset} ${row.tags.key}`;
    const earlier = byIdentity.get(identity);
    const merged = earlier && { ...row, values: { ...earlier.values, ...row.values } };
    byIdentity.set(identity, merged ?? row);
  }
  return [...byIdentity.values()].sort((a, b) => a.offset - b.offset || compareTagSets(a.tags, b.tags));
}

const tagChoices = [
  noTags,
  tagSet([['lap', '1']]),
  tagSet([['lap', '2']]),
  tagSet([
    ['car', 'ü'],
    ['lap', '1'],
  ]),
];

export const hardDoubles = [0, -0, NaN, Infinity, -Infinity, 5e-324, -5e-324, 2.2250738585072014e-308];
hardDoubles.push(
  Number.MAX_VALUE,
  -Number.MAX_VALUE,
  0.1,
  0.1 + 0.2,
  1 / 3,
  123.456,
  2 ** 53,
  -(2 ** 53),
  2 ** 51,
);

const parameters = [4, 5, 6, 7, 9];

/** Rows in any order, identities repeated here and there, few enough distinct times to make them meet. */
export const anyRows: fc.Arbitrary<PlainRow[]> = fc.array(
  fc.record(
    {
      offset: fc.oneof(fc.integer({ min: 0, max: 12 }), fc.constantFrom(0, 2 ** 50 - 1, 1_000_000)),
      tags: fc.constantFrom(...tagChoices),
      values: fc
        .tuple(
          fc.option(fc.oneof(fc.integer({ min: 0, max: 100 }), fc.constantFrom(...hardDoubles))),
          fc.option(fc.constantFrom('', 'on', 'off', 'x'.repeat(300))),
          fc.option(fc.string({ unit: 'binary-ascii', maxLength: 6 })),
          fc.option(fc.double()),
          fc.option(fc.constantFrom('', 'pit', '{}')),
        )
        .map((cells) =>
          Object.fromEntries(cells.flatMap((cell, i) => (cell === null ? [] : [[parameters[i]!, cell]]))),
        ),
    },
    { noNullPrototype: true },
  ),
  { minLength: 1, maxLength: 40 },
);

export const origin: PartOrigin = { window: 3, firstLsn: 10, lastLsn: 20 };

export function writePart(
  groups: readonly RowGroup[],
  from = origin,
): { bytes: Buffer; summary: PartSummary } {
  const pieces: Buffer[] = [];
  const writer = createPartWriter({ write: (bytes) => pieces.push(Buffer.from(bytes)) }, from);
  for (const group of groups) writer.add(group);
  const summary = writer.finish();
  return { bytes: Buffer.concat(pieces), summary };
}

/** A file in memory that notes what is read of it. */
export function memoryFile(
  bytes: Buffer,
  name = 'a.part',
): PartFile & { readonly reads: [number, number][] } {
  const reads: [number, number][] = [];
  return {
    name,
    size: bytes.length,
    reads,
    async read(position, length) {
      reads.push([position, length]);
      return Buffer.from(bytes.subarray(position, position + length));
    },
  };
}
