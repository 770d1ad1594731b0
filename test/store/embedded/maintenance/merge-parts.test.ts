import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { noTags, tagSet } from '../../../../src/domain/tags.ts';
import { maxTimestamp } from '../../../../src/domain/timestamp.ts';
import { DamagedError } from '../../../../src/store/embedded/files/damage.ts';
import { type MergeOptions, mergeParts } from '../../../../src/store/embedded/maintenance/merge-parts.ts';
import { windowsOfIndex } from '../../../../src/store/embedded/parts/part-index.ts';
import { decodeGroup, openPart, type PartReader } from '../../../../src/store/embedded/parts/part-reader.ts';
import { createPartWriter } from '../../../../src/store/embedded/parts/part-writer.ts';
import { maxGroupBytes, maxGroupRows } from '../../../../src/store/embedded/rows/row-group.ts';
import { windowSpan } from '../../../../src/store/embedded/rows/windows.ts';
import type { Tombstone } from '../../../../src/store/embedded/tombstones/tombstone.ts';
import { verifyPart } from '../../../../src/store/embedded/verify-part.ts';
import { cases } from '../../../extent.ts';
import {
  anyRows,
  groupOf,
  memoryFile,
  mergedRows,
  origin,
  type PlainRow,
  rowsOf,
  writePart,
} from '../row-groups.ts';

type Streams = ReadonlyMap<number, readonly PlainRow[]>;

async function partOf(streams: Streams, cut?: number): Promise<PartReader> {
  const groups = [...streams]
    .sort(([a], [b]) => a - b)
    .flatMap(([stream, rows]) => {
      const sorted = mergedRows([rows]);
      // Small groups stand for large ones: a group of a real part ends anywhere, too.
      return cut === undefined
        ? [groupOf(stream, sorted)]
        : [groupOf(stream, sorted.slice(0, cut)), groupOf(stream, sorted.slice(cut))];
    });
  return openPart(memoryFile(writePart(groups).bytes));
}

async function merge(
  parts: readonly PartReader[],
  alive = (_: number) => true,
  options: Omit<MergeOptions, 'alive'> = {},
): Promise<PartReader> {
  const pieces: Buffer[] = [];
  const writer = createPartWriter({ write: (bytes) => pieces.push(Buffer.from(bytes)) }, origin);
  await mergeParts(parts, writer, { alive, ...options });
  writer.finish();
  const file = memoryFile(Buffer.concat(pieces), 'merged.part');
  for await (const damage of verifyPart(file)) assert.fail(damage.what);
  return openPart(file);
}

async function rowsByStream(part: PartReader): Promise<Map<number, PlainRow[]>> {
  const streams = new Map<number, PlainRow[]>();
  for await (const stored of part.storedGroups()) {
    const group = decodeGroup(part.file.name, stored);
    streams.set(group.stream, [...(streams.get(group.stream) ?? []), ...rowsOf(group)]);
  }
  // Families of columns lie one behind another; a row's values may stand in several.
  for (const [stream, rows] of streams) {
    const cells = rows.flatMap(({ offset, tags, values }) =>
      Object.keys(values).map((parameter) => `${offset} ${tags.key} ${parameter}`),
    );
    assert.equal(new Set(cells).size, cells.length, 'each value stands once');
    streams.set(stream, mergedRows([rows]));
  }
  return streams;
}

function expected(parts: readonly Streams[]): Map<number, PlainRow[]> {
  const streams = [...new Set(parts.flatMap((part) => [...part.keys()]))].sort((a, b) => a - b);
  return new Map(
    streams
      .map((stream): [number, PlainRow[]] => [
        stream,
        mergedRows(parts.map((part) => part.get(stream) ?? [])).filter(
          ({ values }) => Object.keys(values).length > 0,
        ),
      ])
      .filter(([, rows]) => rows.length > 0),
  );
}

const line = (from: number, count: number, value: number, step = 1): PlainRow[] =>
  Array.from({ length: count }, (_, i) => ({
    offset: from + i * step,
    tags: noTags,
    values: { 4: value + (i % 5) },
  }));

/** A row for one of many numeric parameters after another; some rows twice, with another value. */
const channels = (from: number, rows: number, parameters: number, step = 1): PlainRow[] =>
  Array.from({ length: rows }, (_, i) => ({
    offset: from + (i - (i % 50 === 49 ? 1 : 0)) * step,
    tags: noTags,
    values: { [4 * ((((i - (i % 50 === 49 ? 1 : 0)) * 7919 + from) % parameters) + 1)]: i },
  }));

async function groupSizes(part: PartReader, stream: number): Promise<number[]> {
  return (await part.groupsOf(stream, 0, windowSpan)).map(({ rows }) => rows);
}

describe('merging parts', () => {
  it('is what a map of identities says, for any parts', async () => {
    const anyPart = fc.uniqueArray(fc.tuple(fc.nat({ max: 3 }), anyRows), { selector: ([stream]) => stream });
    const anyParts = fc.array(fc.tuple(anyPart, fc.option(fc.nat({ max: 10 }))), {
      minLength: 1,
      maxLength: 5,
    });
    await fc.assert(
      fc.asyncProperty(anyParts, async (drawn) => {
        const parts = drawn.map(([streams]) => new Map(streams));
        const merged = await merge(
          await Promise.all(drawn.map(([, cut], i) => partOf(parts[i]!, cut ?? undefined))),
        );
        assert.deepEqual(await rowsByStream(merged), expected(parts));
      }),
      { numRuns: cases(150) },
    );
  });

  it('leaves out streams that are no longer alive', async () => {
    const parts = [
      new Map([
        [1, line(0, 5, 1)],
        [2, line(0, 5, 2)],
      ]),
      new Map([
        [2, line(3, 5, 3)],
        [3, line(0, 5, 4)],
      ]),
    ];
    const merged = await merge(
      await Promise.all(parts.map((part) => partOf(part))),
      (stream) => stream !== 2,
    );
    assert.deepEqual([...(await rowsByStream(merged)).keys()], [1, 3]);
  });

  it('leaves out what tombstones hide, part by part and stream by stream', async () => {
    const tombstone: Tombstone = {
      lsn: 9,
      arrival: 0,
      streams: Uint32Array.of(1, 2),
      from: 0n,
      to: maxTimestamp,
      parameters: undefined,
      tagFilters: [],
    };
    const hides = (part: number, stream: number, first: number, last: number) =>
      part === 0 && stream < 3 ? [{ tombstone, first, last }] : [];
    const older = new Map([1, 2, 3].map((stream) => [stream, line(0, 10, stream)]));
    const newer = new Map([[2, line(5, 1, 7)]]);
    const parts = await Promise.all([partOf(older, 4), partOf(newer)]);
    const merged = await merge(parts, undefined, {
      tombstones: (part, stream) => hides(part, stream, stream === 1 ? 0 : 3, windowSpan),
    });
    assert.deepEqual(
      await rowsByStream(merged),
      new Map([
        [2, [...line(0, 3, 2), ...line(5, 1, 7)]],
        [3, line(0, 10, 3)],
      ]),
    );
  });

  it('leaves out rows that are expired, read or copied', async () => {
    const streams = new Map([1, 2, 3].map((stream) => [stream, line(0, 2 * maxGroupRows, stream)]));
    const kept = [0, 2 * maxGroupRows, 0, maxGroupRows - 3];
    const merged = await merge([await partOf(streams)], undefined, {
      retainedFrom: (stream) => kept[stream]!,
    });
    assert.deepEqual(
      await rowsByStream(merged),
      new Map([
        [2, streams.get(2)],
        [3, streams.get(3)!.slice(maxGroupRows - 3)],
      ]),
    );
  });

  it('makes full row groups out of small ones', async () => {
    const parts = Array.from({ length: 10 }, (_, i) => new Map([[1, line(i * 2000, 2000, i)]]));
    const merged = await merge(await Promise.all(parts.map((part) => partOf(part))));
    assert.deepEqual(await groupSizes(merged, 1), [maxGroupRows, maxGroupRows, 20_000 - 2 * maxGroupRows]);
    assert.deepEqual(await rowsByStream(merged), expected(parts));
  });

  it('interleaves long streams that overlap all the way', async () => {
    const parts = [
      new Map([[1, line(0, 20_000, 0, 4)]]),
      new Map([[1, line(2, 10_000, 50, 8)]]),
      new Map([[1, line(40_000, 300, 90)]]),
    ];
    const merged = await merge(await Promise.all(parts.map((part) => partOf(part))));
    assert.deepEqual(await rowsByStream(merged), expected(parts));
    const sizes = await groupSizes(merged, 1);
    assert.ok(sizes.slice(0, -1).every((size) => size >= maxGroupRows / 2));
  });

  it('copies large groups that nothing overlaps as they are', async () => {
    const parts = [new Map([[1, line(0, 2 * maxGroupRows, 0)]]), new Map([[1, line(1_000_000, 5000, 1)]])];
    const readers = await Promise.all(parts.map((part) => partOf(part)));
    const merged = await merge(readers);
    assert.deepEqual(await groupSizes(merged, 1), [maxGroupRows, maxGroupRows, 5000]);
    assert.deepEqual(await rowsByStream(merged), expected(parts));
    const [original] = await readers[1]!.groupsOf(1, 0, windowSpan);
    const copy = (await merged.groupsOf(1, 0, windowSpan))[2]!;
    assert.deepEqual(
      await merged.file.read(copy.position, copy.length),
      await readers[1]!.file.read(original!.position, original!.length),
    );
  });

  it('copies a group of many parameters as it is, however few its rows and bytes are', async () => {
    const parts = [
      new Map([[1, channels(0, 800, 800)]]),
      new Map([[1, channels(1_000_000, 800, 800)]]),
      new Map([[1, line(2_000_000, 10, 1)]]),
    ];
    const readers = await Promise.all(parts.map((part) => partOf(part)));
    const merged = await merge(readers);
    assert.deepEqual(await groupSizes(merged, 1), [784, 784, 10]);
    assert.deepEqual(await rowsByStream(merged), expected(parts));
    const [original] = await readers[1]!.groupsOf(1, 0, windowSpan);
    const copy = (await merged.groupsOf(1, 0, windowSpan))[1]!;
    assert.ok(copy.length < 64 * 1024);
    assert.deepEqual(
      await merged.file.read(copy.position, copy.length),
      await readers[1]!.file.read(original!.position, original!.length),
    );
  });

  it('merges many parameters with times of their own in row groups within the limit', async () => {
    const parts = Array.from({ length: 6 }, (_, i) => new Map([[1, channels(i % 4, 700, 2000, 5)]]));
    const merged = await merge(await Promise.all(parts.map((part) => partOf(part))));
    assert.deepEqual(await rowsByStream(merged), expected(parts));
    let groups = 0;
    for await (const stored of merged.storedGroups()) {
      const group = decodeGroup('a.part', stored);
      assert.ok(8 * group.count * group.columns.length <= maxGroupBytes);
      groups++;
    }
    assert.ok(groups <= 64, `${groups} row groups`);
  });

  it('writes merged rows before a group that it copies behind them', async () => {
    const parts = [
      new Map([[1, [...line(0, 5000, 0), ...line(1_000_000, 5000, 1)]]]),
      new Map([[1, line(3000, 2000, 7)]]),
    ];
    const merged = await merge([await partOf(parts[0]!, 5000), await partOf(parts[1]!)]);
    assert.deepEqual(await groupSizes(merged, 1), [5000, 5000]);
    assert.deepEqual(await rowsByStream(merged), expected(parts));
  });

  it('does not copy a group whose last moment another part has too', async () => {
    const parts = [new Map([[1, line(0, 5000, 0)]]), new Map([[1, line(4999, 5000, 7)]])];
    const merged = await merge(await Promise.all(parts.map((part) => partOf(part))));
    assert.deepEqual(await rowsByStream(merged), expected(parts));
    assert.equal(merged.footer.rows, 9999);
  });

  it('keeps rows of one moment together that reach over several groups of both parts', async () => {
    const moment = (from: number, value: number) =>
      Array.from({ length: 9000 }, (_, i) => ({
        offset: 100,
        tags: tagSet([['n', String(from + i).padStart(6, '0')]]),
        values: { 4: value },
      }));
    const both = [
      [...line(0, 10, 1), ...moment(0, 1), ...line(200, 10, 1)],
      [...line(5, 10, 2), ...moment(4000, 2), ...line(205, 10, 2)],
    ];
    const readers = both.map((rows) => {
      const sets = [...new Map(rows.map(({ tags }) => [tags.key, tags])).values()];
      const places = new Map(sets.map((set, i) => [set.key, i]));
      const untagged = groupOf(
        1,
        rows.map((row) => ({ ...row, tags: noTags })),
      );
      const tagIndex = Uint32Array.from(rows, ({ tags }) => places.get(tags.key)!);
      return openPart(memoryFile(writePart([{ ...untagged, tagSets: sets, tagIndex }]).bytes));
    });
    const merged = await merge(await Promise.all(readers));
    assert.deepEqual(await rowsByStream(merged), expected(both.map((rows) => new Map([[1, rows]]))));
  });

  it('stops at damage instead of writing what it cannot trust', async () => {
    const { bytes } = writePart([groupOf(1, line(0, 50, 1)), groupOf(2, line(0, 50, 1))]);
    bytes[3]! ^= 1;
    const damaged = await openPart(memoryFile(bytes));
    const intact = await partOf(new Map([[2, line(0, 5, 1)]]));
    await assert.rejects(merge([intact, damaged]), DamagedError);
  });

  describe('of several windows', () => {
    const windows = [-70, 3, 4, 900];
    const anySpread = fc.array(
      fc.uniqueArray(fc.tuple(fc.integer({ min: 1, max: 3 }), fc.constantFrom(...windows), anyRows), {
        maxLength: 8,
        selector: ([stream, window]) => `${stream} ${window}`,
      }),
      { minLength: 1, maxLength: 4 },
    );

    async function spreadPart(
      pieces: readonly (readonly [number, number, readonly PlainRow[]])[],
    ): Promise<PartReader> {
      const bytes: Buffer[] = [];
      const writer = createPartWriter({ write: (some) => bytes.push(Buffer.from(some)) }, origin);
      for (const [stream, window, rows] of [...pieces].sort((a, b) => a[0] - b[0] || a[1] - b[1])) {
        const seen = mergedRows([rows]).filter(({ values }) => Object.keys(values).length > 0);
        if (seen.length === 0) continue;
        writer.beginWindow(window);
        writer.add(groupOf(stream, seen));
      }
      const { windows: found } = writer.finish();
      const part = await openPart(memoryFile(Buffer.concat(bytes)));
      assert.deepEqual(
        windowsOfIndex(await part.readIndex()),
        found.length === 0 ? [origin.window] : found,
        'the index tells the windows',
      );
      return part;
    }

    it('keeps each window to itself, all of them or those that are asked for', async () => {
      await fc.assert(
        fc.asyncProperty(anySpread, fc.subarray(windows), async (parts, wanted) => {
          const readers: PartReader[] = [];
          for (const pieces of parts) readers.push(await spreadPart(pieces));
          for (const asked of [undefined, new Set(wanted)]) {
            const merged = await merge(readers, undefined, { ...(asked && { windows: asked }) });
            for (const window of windows) {
              for (const stream of [1, 2, 3]) {
                const rows: PlainRow[] = [];
                for (const handle of await merged.groupsOf(stream, 0, windowSpan, undefined, window)) {
                  assert.equal(handle.window, window);
                  rows.push(...rowsOf(await merged.readGroup(handle)));
                }
                const own = parts.flatMap((pieces) =>
                  pieces
                    .filter((piece) => piece[0] === stream && piece[1] === window)
                    .map((piece) => piece[2]),
                );
                const expectedRows = asked?.has(window) === false ? [] : mergedRows(own);
                assert.deepEqual(
                  mergedRows([rows]),
                  expectedRows.filter(({ values }) => Object.keys(values).length > 0),
                );
              }
            }
          }
        }),
        { numRuns: cases(80) },
      );
    });

    it('takes what is expired and deleted from the windows that it is in', async () => {
      const row = (offset: number): PlainRow => ({ offset, tags: noTags, values: { 4: offset } });
      const part = await spreadPart([
        [1, 3, [row(1), row(5)]],
        [1, 4, [row(1), row(5)]],
      ]);
      const kept = await merge([part], undefined, { retainedFrom: (_, window) => (window === 3 ? 3 : 0) });
      const rowsIn = async (of: PartReader, window: number) => {
        const [handle] = await of.groupsOf(1, 0, windowSpan, undefined, window);
        return handle === undefined ? [] : [...(await of.readGroup(handle)).offsets];
      };
      assert.deepEqual([await rowsIn(kept, 3), await rowsIn(kept, 4)], [[5], [1, 5]]);
      const tombstone: Tombstone = {
        lsn: 99,
        arrival: 0,
        streams: Uint32Array.of(1),
        from: 0n,
        to: maxTimestamp,
        parameters: undefined,
        tagFilters: [],
      };
      const deleted = await merge([part], undefined, {
        tombstones: (_part, _stream, window) => (window === 4 ? [{ tombstone, first: 0, last: 4 }] : []),
      });
      assert.deepEqual([await rowsIn(deleted, 3), await rowsIn(deleted, 4)], [[1, 5], [5]]);
    });
  });
});
