import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type Column, Kind } from '../../../../src/domain/parameter-data.ts';
import { noTags } from '../../../../src/domain/tags.ts';
import { RowsDraft } from '../../../../src/store/embedded/log/write-rows.ts';
import { mergeParts } from '../../../../src/store/embedded/maintenance/merge-parts.ts';
import { sealStream } from '../../../../src/store/embedded/maintenance/seal-stream.ts';
import { decodeGroup, openPart, type PartReader } from '../../../../src/store/embedded/parts/part-reader.ts';
import { createPartWriter, type PartWriter } from '../../../../src/store/embedded/parts/part-writer.ts';
import type { RowGroup } from '../../../../src/store/embedded/rows/row-group.ts';
import { windowSpan, windowStart } from '../../../../src/store/embedded/rows/windows.ts';
import type { WindowTombstone } from '../../../../src/store/embedded/tombstones/tombstone.ts';
import { verifyPart } from '../../../../src/store/embedded/verify-part.ts';
import { cases } from '../../../extent.ts';
import { slabOf } from '../log/slab-of.ts';
import {
  anyRows,
  groupOf,
  kindOf,
  memoryFile,
  mergedRows,
  origin,
  type PlainRow,
  rowsOf,
  writePart,
} from '../row-groups.ts';

const isFilled = ({ values }: PlainRow) => Object.keys(values).length > 0;

/** Payloads of channels, each at times of its own or at those of a clock that it shares, with gaps; some come late. */
const anyChannels: fc.Arbitrary<PlainRow[][]> = fc.array(
  fc
    .record({
      channels: fc.uniqueArray(fc.constantFrom(3, 4, 7, 8, 11, 12, 15, 16, 1, 5), {
        minLength: 1,
        maxLength: 5,
      }),
      clock: fc.nat({ max: 3 }),
      first: fc.nat({ max: 60 }),
      rows: fc.integer({ min: 1, max: 150 }),
      gap: fc.constantFrom(0, 0, 2, 3, 20),
    })
    .map(({ channels, clock, first, rows, gap }) =>
      Array.from({ length: rows }, (_, i) => ({
        offset: (first + i) * 12 + 5 * clock,
        tags: noTags,
        values: Object.fromEntries(
          channels
            .filter((channel, place) => gap === 0 || place === 0 || (i + channel) % gap === 0)
            .map((channel) => [channel, channel % 4 === 1 ? `${channel} ${i}` : channel + i / 4]),
        ),
      })),
    ),
  { minLength: 1, maxLength: 14 },
);

const anyPayloads: fc.Arbitrary<PlainRow[][]> = fc.oneof(
  anyChannels,
  fc.array(anyRows, { minLength: 1, maxLength: 6 }),
);

async function written(fill: (writer: PartWriter) => Promise<void>): Promise<PartReader> {
  const pieces: Buffer[] = [];
  const writer = createPartWriter({ write: (bytes) => pieces.push(Buffer.from(bytes)) }, origin);
  await fill(writer);
  writer.finish();
  const file = memoryFile(Buffer.concat(pieces));
  for await (const damage of verifyPart(file)) assert.fail(damage.what);
  return openPart(file);
}

/** A part of sections that a slab has of one stream. */
function sealed(
  payloads: readonly (readonly PlainRow[])[],
  hidden: readonly WindowTombstone[] = [],
): Promise<PartReader> {
  const drafts = payloads.map((rows) => {
    const { columns, ...group } = groupOf(1, rows);
    const named = columns.map(({ parameter, ...column }) => ({ ...column, name: `${parameter}` }) as Column);
    return new RowsDraft(
      { ...group, base: windowStart(origin.window), columns: named },
      1,
      columns.map(({ parameter }) => parameter),
    );
  });
  const { slab, sections } = slabOf(drafts);
  return written((writer) =>
    sealStream({ slab, sections, hidden: () => hidden, window: origin.window }, writer),
  );
}

async function groupsIn(part: PartReader): Promise<RowGroup[]> {
  const groups: RowGroup[] = [];
  for await (const stored of part.storedGroups()) groups.push(decodeGroup(part.file.name, stored));
  return groups;
}

/** In order of their columns, then of time: a family that has lost its first column stands where it stood with it. */
function byColumns(groups: readonly RowGroup[]): RowGroup[] {
  const key = ({ columns }: RowGroup) => columns[0]!.parameter;
  return [...groups].sort((a, b) => key(a) - key(b) || a.offsets[0]! - b.offsets[0]!);
}

/** What a part holds has to be just these rows: each value once, and of each parameter found by it alone. */
async function holds(part: PartReader, expected: readonly PlainRow[]): Promise<void> {
  const groups = (await groupsIn(part)).map(rowsOf);
  const values = (rows: readonly PlainRow[]) =>
    rows.reduce((sum, row) => sum + Object.keys(row.values).length, 0);
  assert.ok(groups.flat().every(isFilled));
  assert.equal(values(groups.flat()), values(expected), 'each value stands once');
  assert.deepEqual(mergedRows(groups), expected);
  for (const parameter of new Set(expected.flatMap((row) => Object.keys(row.values).map(Number)))) {
    const found: PlainRow[] = [];
    for (const handle of await part.groupsOf(1, 0, windowSpan, new Set([parameter])))
      found.push(...rowsOf(await part.readGroup(handle, [parameter])));
    const own = expected.filter((row) => parameter in row.values);
    assert.deepEqual(
      found.filter(isFilled),
      own.map((row) => ({ ...row, values: { [parameter]: row.values[parameter]! } })),
    );
  }
}

const tombstone = (parameters: readonly number[] | undefined): WindowTombstone['tombstone'] => ({
  lsn: 9,
  arrival: 0,
  streams: Uint32Array.of(1),
  from: 0n,
  to: 0n,
  parameters: parameters && new Set(parameters),
  tagFilters: [],
});

function left(rows: readonly PlainRow[], { tombstone: { parameters }, first, last }: WindowTombstone) {
  return rows
    .map((row) => {
      if (row.offset < first || row.offset > last) return row;
      // Without parameters it is all but events.
      const hides = (parameter: number) => parameters?.has(parameter) ?? kindOf(parameter) !== Kind.Event;
      const kept = Object.entries(row.values).filter(([name]) => !hides(Number(name)));
      return { ...row, values: Object.fromEntries(kept) };
    })
    .filter(isFilled);
}

describe('columns with clocks of their own', () => {
  it('are sealed as what one map of identities holds', async () => {
    await fc.assert(
      fc.asyncProperty(anyPayloads, async (payloads) => {
        await holds(await sealed(payloads), mergedRows(payloads).filter(isFilled));
      }),
      { numRuns: cases(200) },
    );
  });

  it('are sealed without what deletes hide', async () => {
    await fc.assert(
      fc.asyncProperty(anyPayloads, fc.nat({ max: 600 }), async (payloads, first) => {
        const hidden = { tombstone: tombstone([3, 4, 5]), first, last: first + 300 };
        const seen = payloads.map((rows) => left(rows, hidden));
        await holds(await sealed(payloads, [hidden]), mergedRows(seen).filter(isFilled));
      }),
      { numRuns: cases(60) },
    );
  });

  it('are merged exactly, however their columns stand together in the parts', async () => {
    const anyParts = fc.array(fc.tuple(anyPayloads, fc.boolean()), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(anyParts, fc.option(fc.nat({ max: 600 })), async (drawn, first) => {
        const hidden = first === null ? [] : [{ tombstone: tombstone(undefined), first, last: first + 50 }];
        const parts: PartReader[] = [];
        for (const [payloads, isOneGroup] of drawn) {
          const rows = mergedRows(payloads).filter(isFilled);
          if (isOneGroup && rows.length === 0) continue;
          parts.push(
            isOneGroup
              ? await openPart(memoryFile(writePart([groupOf(1, rows)]).bytes))
              : await sealed(payloads),
          );
        }
        if (parts.length === 0) return;
        const merged = await written((writer) =>
          mergeParts(parts, writer, { alive: () => true, tombstones: () => hidden }),
        );
        const all = mergedRows(drawn.flatMap(([payloads]) => payloads)).filter(isFilled);
        await holds(merged, hidden.length === 0 ? all : left(all, hidden[0]!));
        const again = await written((writer) => mergeParts([merged], writer, { alive: () => true }));
        assert.deepEqual(byColumns(await groupsIn(again)), byColumns(await groupsIn(merged)));
      }),
      { numRuns: cases(150) },
    );
  });

  it('have row groups of their own, and share them where they share times', async () => {
    const payload = (parameters: readonly number[], first: number, step: number, rows = 1000) =>
      Array.from({ length: rows }, (_, i) => ({
        offset: first + i * step + (i % 3),
        tags: noTags,
        values: Object.fromEntries(parameters.map((parameter) => [parameter, i])),
      }));
    const part = await sealed([
      payload([4], 0, 100),
      payload([7], 0, 100),
      payload([8], 0, 100).filter((_, i) => i % 40 !== 7),
      payload([11], 50, 100),
      payload([12, 15], 20, 1100, 90),
    ]);
    const columns = (await groupsIn(part)).map((group) => group.columns.map(({ parameter }) => parameter));
    assert.deepEqual(columns, [[4, 7, 8], [11], [12, 15]]);
  });

  it('stay together for a late row of one of them', async () => {
    const line = (from: number, rows: number, parameters: readonly number[]) =>
      Array.from({ length: rows }, (_, i) => ({
        offset: 10 * (from + i) + (i % 3),
        tags: noTags,
        values: Object.fromEntries(parameters.map((parameter) => [parameter, i])),
      }));
    const both = await sealed([line(0, 5000, [4, 7])]);
    const late = await sealed([line(100, 20, [7])]);
    const merged = await written((writer) => mergeParts([both, late], writer, { alive: () => true }));
    const columns = (await groupsIn(merged)).map((group) => group.columns.map(({ parameter }) => parameter));
    assert.deepEqual(columns, [[4, 7]]);
  });
});
