import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { noTags, tagSet } from '../../../../src/domain/tags.ts';
import type { FrameStatistics } from '../../../../src/store/embedded/codecs/frame-statistics.ts';
import type { GroupHandle } from '../../../../src/store/embedded/codecs/row-group-directory.ts';
import { DamagedError } from '../../../../src/store/embedded/files/damage.ts';
import type { PartFile } from '../../../../src/store/embedded/parts/part-bytes.ts';
import { partCache } from '../../../../src/store/embedded/parts/part-cache.ts';
import { footerLength } from '../../../../src/store/embedded/parts/part-format.ts';
import { decodeGroup, openPart, type PartReader } from '../../../../src/store/embedded/parts/part-reader.ts';
import { createPartWriter } from '../../../../src/store/embedded/parts/part-writer.ts';
import type { RowGroup } from '../../../../src/store/embedded/rows/row-group.ts';
import { maxGroupBytes } from '../../../../src/store/embedded/rows/row-group.ts';
import { windowSpan } from '../../../../src/store/embedded/rows/windows.ts';
import { cases, stride } from '../../../extent.ts';
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

async function allRows(part: PartReader): Promise<[number, PlainRow[]][]> {
  const streams = new Map<number, PlainRow[]>();
  for await (const stored of part.storedGroups()) {
    const group = decodeGroup(part.file.name, stored);
    streams.set(group.stream, [...(streams.get(group.stream) ?? []), ...rowsOf(group)]);
  }
  return [...streams];
}

async function statisticsOf(
  part: PartReader,
  handle: GroupHandle,
  parameter: number,
): Promise<FrameStatistics | undefined> {
  const view = await part.view(handle, new Set([parameter]));
  const entry = view.columns.find((column) => column.parameter === parameter);
  return entry && view.statistics(entry, true);
}

/** A file whose ranges the cache keeps. */
function cachedFile(bytes: Buffer): PartFile {
  const memory = memoryFile(bytes);
  const cache = partCache(1 << 20).ofPart();
  return {
    ...memory,
    read: (position, length) => cache.read(position, length, () => memory.read(position, length)),
    held: cache.held,
    markOf: cache.markOf,
  };
}

function series(stream: number, count: number, parameters: readonly number[], start = 0): RowGroup {
  return groupOf(
    stream,
    Array.from({ length: count }, (_, i) => ({
      offset: start + i * 1000 + (i % 7),
      tags: noTags,
      values: Object.fromEntries(
        parameters.map((p) => [p, p % 4 === 1 ? `text ${i % 900}` : Math.sin(i + p)]),
      ),
    })),
  );
}

describe('part files', () => {
  it('give back any rows of any streams', async () => {
    const anyStreams = fc.uniqueArray(fc.tuple(fc.nat({ max: 2 ** 32 - 1 }), anyRows), {
      selector: ([stream]) => stream,
    });
    await fc.assert(
      fc.asyncProperty(anyStreams, async (streams) => {
        const sorted = streams
          .sort(([a], [b]) => a - b)
          .map(([stream, rows]) => [stream, mergedRows([rows])] as const);
        const { bytes } = writePart(sorted.map(([stream, rows]) => groupOf(stream, rows)));
        const part = await openPart(memoryFile(bytes));
        assert.deepEqual(await allRows(part), sorted);
        for (const [stream, rows] of sorted) {
          const [handle] = await part.groupsOf(stream, 0, windowSpan);
          assert.deepEqual(rowsOf(await part.readGroup(handle!)), rows);
        }
      }),
      { numRuns: cases(60) },
    );
  });

  it('tell what they hold in summary and footer', async () => {
    const { bytes, summary } = writePart([series(4, 10, [4, 5], 77), series(9, 20_000, [7])]);
    assert.deepEqual(summary, {
      ...origin,
      rows: 20_010,
      samples: 20_020,
      bytes: bytes.length,
      streams: 2,
      windows: [origin.window],
      minOffset: 0,
      maxOffset: 19_999_000 + (19_999 % 7),
    });
    const { footer } = await openPart(memoryFile(bytes));
    const { bytes: _, windows: __, ...told } = summary;
    assert.deepEqual({ ...told, ...footer }, footer);
    assert.equal(footer.groups, 4);
  });

  it('decode of a wide group only the columns that are asked for, the same in any order of asking', async () => {
    const parameters = Array.from({ length: 600 }, (_, i) => i + 1);
    const rows = parameters.map((parameter, i) => ({
      offset: i,
      tags: noTags,
      values: { [parameter]: parameter % 4 === 0 || parameter % 4 === 3 ? i : `text ${i}` },
    }));
    const part = await openPart(memoryFile(writePart([groupOf(1, rows)]).bytes));
    const [handle] = await part.groupsOf(1, 0, windowSpan);
    for (const wanted of [[7], [600, 1], [9999], [7]]) {
      const { columns } = await part.view(handle!, new Set(wanted));
      const known = wanted.filter((parameter) => parameters.includes(parameter)).sort((a, b) => a - b);
      assert.deepEqual(
        columns.map(({ parameter }) => parameter),
        known,
      );
      const read = await part.readGroup(handle!, wanted);
      assert.deepEqual(
        rowsOf(read).filter(({ values }) => Object.keys(values).length > 0),
        rows.filter((_, i) => wanted.includes(i + 1)),
      );
    }
    assert.deepEqual(await part.readParameters(handle!), parameters);
    assert.deepEqual(rowsOf(await part.readGroup(handle!)), rows);
  });

  it('may be empty', async () => {
    const { bytes, summary } = writePart([]);
    assert.equal(summary.rows, 0);
    const part = await openPart(memoryFile(bytes));
    assert.deepEqual(await part.groupsOf(1, 0, windowSpan), []);
    assert.deepEqual(await allRows(part), []);
  });

  it('find the groups that a range of time touches, its ends included', async () => {
    const { bytes } = writePart([series(1, 3, [4]), series(5, 20_000, [4]), series(6, 3, [4])]);
    const part = await openPart(memoryFile(bytes));
    const all = await part.groupsOf(5, 0, windowSpan);
    assert.deepEqual(
      all.map(({ rows }) => rows),
      [8192, 8192, 3616],
    );
    const [first, second, third] = all;
    assert.deepEqual(await part.groupsOf(5, first!.maxOffset, first!.maxOffset), [first]);
    assert.deepEqual(await part.groupsOf(5, first!.maxOffset, second!.minOffset), [first, second]);
    assert.deepEqual(await part.groupsOf(5, first!.maxOffset + 1, second!.minOffset - 1), []);
    assert.deepEqual(await part.groupsOf(5, third!.maxOffset, windowSpan), [third]);
    assert.deepEqual(await part.groupsOf(5, third!.maxOffset + 1, windowSpan), []);
    for (const absent of [0, 2, 7]) assert.deepEqual(await part.groupsOf(absent, 0, windowSpan), []);
  });

  it('read a small group at once and of a large one only what is asked for', async () => {
    const parameters = [4, 5, 7, 8, 11];
    const { bytes } = writePart([series(1, 100, parameters), series(2, 8000, parameters)]);
    const file = memoryFile(bytes);
    const part = await openPart(file);
    const [small] = await part.groupsOf(1, 0, windowSpan);
    const [large] = await part.groupsOf(2, 0, windowSpan);
    file.reads.length = 0;
    await part.readGroup(small!, [4]);
    assert.deepEqual(file.reads, [[small!.position, small!.length]]);

    file.reads.length = 0;
    const group = await part.readGroup(large!, [4, 11, 99]);
    assert.deepEqual(
      group.columns.map(({ parameter }) => parameter),
      [4, 11],
    );
    const whole = rowsOf(series(2, 8000, parameters));
    assert.deepEqual(
      rowsOf(group),
      whole.map((row) => ({ ...row, values: { 4: row.values[4], 11: row.values[11] } })),
    );
    assert.equal(file.reads.length, 3);
    assert.ok(file.reads.reduce((sum, [, length]) => sum + length, 0) < large!.length / 1.8);
    assert.deepEqual(rowsOf(await part.readGroup(large!)), whole);
    assert.deepEqual((await part.readGroup(large!, [])).columns, []);
  });

  it('give statistics of numeric columns without reading the others', async () => {
    const { bytes } = writePart([series(1, 100, [4]), series(2, 8000, [4, 5, 7])]);
    const file = memoryFile(bytes);
    const part = await openPart(file);
    const [short] = await part.groupsOf(1, 0, windowSpan);
    const [long] = await part.groupsOf(2, 0, windowSpan);
    assert.equal(await statisticsOf(part, short!, 4), undefined);
    assert.equal(await statisticsOf(part, long!, 5), undefined);
    assert.equal(await statisticsOf(part, long!, 99), undefined);
    file.reads.length = 0;
    const statistics = await statisticsOf(part, long!, 7);
    assert.equal(statistics!.min.length, 63);
    assert.equal(statistics!.first[0], Math.sin(7));
    const read = file.reads.reduce((sum, [, length]) => sum + length, 0);
    assert.ok(read < long!.length / 2, `${read} of ${long!.length}`);
  });

  it('split rows with large values so that a group stays readable, a single huge value too', async () => {
    const rows = Array.from({ length: 20 }, (_, i) => ({
      offset: i,
      tags: noTags,
      values: { 6: String.fromCharCode(i).repeat(i === 7 ? 5_000_000 : 1_000_000) },
    }));
    const { bytes } = writePart([groupOf(1, rows)]);
    const part = await openPart(memoryFile(bytes));
    const groups = await part.groupsOf(1, 0, windowSpan);
    assert.ok(groups.length >= 4);
    assert.deepEqual(await allRows(part), [[1, rows]]);
  });

  it('leave out the bytes of rows without a value', async () => {
    const group = groupOf(
      1,
      [0, 1, 2].map((offset) => ({ offset, tags: noTags, values: { 5: `v${offset}` } })),
    );
    const columns = group.columns.map((column) => ({ ...column, present: Uint8Array.of(0b101) }));
    const part = await openPart(memoryFile(writePart([{ ...group, columns }]).bytes));
    assert.deepEqual(
      (await allRows(part))[0]![1].map(({ values }) => values),
      [{ 5: 'v0' }, {}, { 5: 'v2' }],
    );
  });

  it('have fewer rows in a group the more columns there are', async () => {
    const narrow = series(1, 8192, [4]);
    const [column] = narrow.columns;
    const columns = Array.from({ length: 300 }, (_, i) => ({ ...column!, parameter: 4 * i }));
    const part = await openPart(memoryFile(writePart([{ ...narrow, columns }]).bytes));
    const groups = await part.groupsOf(1, 0, windowSpan);
    for (const { rows } of groups) assert.ok(rows * 300 * 8 <= maxGroupBytes);
    assert.equal(part.footer.rows, 8192);
    const last = await part.readGroup(groups.at(-1)!, [1196]);
    assert.deepEqual(
      rowsOf(last).map(({ values }) => values[1196]),
      rowsOf(narrow)
        .slice(-last.count)
        .map(({ values }) => values[4]),
    );
  });

  it('keep rows of one moment in order over the border of two groups', async () => {
    const rows = mergedRows([
      Array.from({ length: 10_000 }, (_, i) => ({
        offset: 5,
        tags: tagSet([['n', `${i}`]]),
        values: { 4: i },
      })),
    ]);
    const { bytes } = writePart([groupOfOneMoment(rows)]);
    const part = await openPart(memoryFile(bytes));
    assert.equal((await part.groupsOf(1, 5, 5)).length, 2);
    assert.deepEqual(await allRows(part), [[1, rows]]);
  });

  it('read their index once, and again after it was dropped', async () => {
    const file = memoryFile(writePart([series(1, 100, [4])]).bytes);
    const part = await openPart(file);
    assert.ok(!part.hasIndex());
    await part.groupsOf(1, 0, windowSpan);
    assert.ok(part.hasIndex());
    const reads = file.reads.length;
    await part.groupsOf(1, 0, windowSpan);
    assert.equal(file.reads.length, reads);
    part.dropIndex();
    assert.ok(!part.hasIndex());
    assert.equal((await part.groupsOf(1, 0, windowSpan)).length, 1);
    assert.equal(file.reads.length, reads + 1);
  });

  it('cost little for many small streams', () => {
    const groups = Array.from({ length: 1000 }, (_, stream) =>
      groupOf(
        stream,
        Array.from({ length: 8 }, (_, i) => ({
          offset: 1e9 + stream * 1000 + i * 1e9,
          tags: noTags,
          values: Object.fromEntries(Array.from({ length: 10 }, (_, p) => [p * 4, 50])),
        })),
      ),
    );
    // Ten constant columns are their overhead: at most 6 bytes each, and 24 for the group.
    assert.ok(writePart(groups).bytes.length < 1000 * (10 * 6 + 24));
  });
});

describe('part writer', () => {
  it('hands large pieces to the sink', () => {
    const sizes: number[] = [];
    const writer = createPartWriter({ write: (bytes) => sizes.push(bytes.length) }, origin);
    for (let stream = 0; stream < 300; stream++) writer.add(series(stream, 1000, [4]));
    writer.finish();
    assert.ok(sizes.slice(0, -1).every((size) => size > 1_000_000));
    assert.ok(sizes.length > 1);
  });

  it('refuses rows out of order and outside the window', () => {
    const writer = createPartWriter({ write: () => undefined }, origin);
    writer.add(series(5, 3, [4], 10_000));
    const row = (offset: number) => ({ offset, tags: noTags, values: {} });
    assert.throws(() => writer.add(series(4, 3, [4])), /in order of streams/);
    assert.throws(() => writer.add(series(5, 3, [4])), /in order of time/);
    assert.throws(() => writer.add(groupOf(6, [row(3), row(2)])), /in order of time/);
    assert.throws(() => writer.add(groupOf(6, [row(-1)])), /within the window/);
    assert.throws(() => writer.add(groupOf(6, [row(windowSpan)])), /within the window/);
  });
});

describe('a damaged part file', () => {
  it('is never read as something else, whichever byte changed', async () => {
    const groups = [series(1, 5, [4, 5, 6]), series(2, 200, [4, 5])];
    const expected = groups.map((group) => [group.stream, rowsOf(group)]);
    const { bytes } = writePart(groups);
    for (let at = 0; at < bytes.length; at += stride(1)) {
      for (const flip of [0x01, 0x80, 0xff]) {
        const damaged = Buffer.from(bytes);
        damaged[at]! ^= flip;
        const read = openPart(memoryFile(damaged)).then(allRows);
        await assert.rejects(read, DamagedError, `byte ${at} of ${bytes.length}`);
      }
    }
    assert.deepEqual(await allRows(await openPart(memoryFile(bytes))), expected);
  });

  it('is never read as something else from the cache, whichever columns were read before', async () => {
    const { bytes } = writePart([series(1, 8000, [4, 5, 6, 8])]);
    const intact = await openPart(memoryFile(bytes));
    const [handle] = await intact.groupsOf(1, 0, windowSpan);
    // Columns of four that lie side by side, with others between them, all.
    const asked = [[4, 8], [4, 6], [5], [4, 5, 6, 8], [4, 8], [6, 8], [4, 5, 6, 8]];
    const expected = await Promise.all(asked.map((parameters) => intact.readGroup(handle!, parameters)));
    let refused = 0;
    for (let at = handle!.headLength; at < handle!.length; at += 4001) {
      const damaged = Buffer.from(bytes);
      damaged[handle!.position + at]! ^= 0x10;
      const part = await openPart(cachedFile(damaged));
      for (const [i, parameters] of asked.entries()) {
        const read = await part.readGroup(handle!, parameters).catch((error: unknown) => error);
        if (read instanceof DamagedError) refused++;
        else assert.deepEqual(read, expected[i], `byte ${at}, parameters ${parameters}`);
        if (parameters.length === 4) assert.ok(read instanceof DamagedError, `byte ${at}`);
      }
    }
    assert.ok(refused > 100);
  });

  it('is never read as something else where the columns of a large group changed', async () => {
    const group = series(1, 8000, [4, 5]);
    const { bytes } = writePart([group]);
    const intact = await openPart(memoryFile(bytes));
    const [handle] = await intact.groupsOf(1, 0, windowSpan);
    assert.ok(handle!.headLength < handle!.length);
    for (let at = 0; at < handle!.length; at += 997) {
      const damaged = Buffer.from(bytes);
      damaged[at]! ^= 0x10;
      const part = await openPart(memoryFile(damaged));
      const reads = [part.readGroup(handle!), statisticsOf(part, handle!, 4)];
      const failed = (await Promise.allSettled(reads)).filter(({ status }) => status === 'rejected');
      assert.ok(failed.length > 0, `byte ${at}`);
      for (const read of failed) assert.ok((read as PromiseRejectedResult).reason instanceof DamagedError);
    }
  });

  it('is noticed when it was cut or has grown', async () => {
    const { bytes } = writePart([series(1, 5, [4])]);
    for (let length = 0; length < bytes.length; length++) {
      await assert.rejects(openPart(memoryFile(bytes.subarray(0, length))).then(allRows), DamagedError);
    }
    const grown = [0, bytes.length - footerLength, bytes.length].map((at) =>
      Buffer.concat([bytes.subarray(0, at), Buffer.of(0), bytes.subarray(at)]),
    );
    for (const file of grown) await assert.rejects(openPart(memoryFile(file)).then(allRows), DamagedError);
  });

  it('names the file and the place', async () => {
    const { bytes } = writePart([series(1, 5, [4]), series(2, 5, [4])]);
    const part = await openPart(memoryFile(bytes));
    const [handle] = await part.groupsOf(2, 0, windowSpan);
    const damaged = Buffer.from(bytes);
    damaged[handle!.position + 9]! ^= 1;
    const other = await openPart(memoryFile(damaged, 'b.part'));
    await assert.rejects(other.readGroup(handle!), (error: DamagedError) => {
      assert.equal(error.file, 'b.part');
      assert.equal(error.from, handle!.position);
      assert.equal(error.to, handle!.position + handle!.length);
      return true;
    });
  });

  it('is told from an intact file of another version, whose footer may be shorter or longer', async () => {
    const { bytes } = writePart([series(1, 5, [4])]);
    for (const [version, more] of [
      [1, -12],
      [3, 0],
      [3, 16],
    ] as const) {
      const plain = bytes.subarray(-footerLength);
      const footer =
        more < 0 ? Buffer.from(plain.subarray(-more)) : Buffer.concat([Buffer.alloc(more), plain]);
      footer.writeUInt32LE(footer.length, footer.length - 20);
      footer.writeUInt32LE(version, footer.length - 16);
      footer.writeUInt32LE(crc32(footer.subarray(0, -12)), footer.length - 12);
      const other = Buffer.concat([bytes.subarray(0, -footerLength), footer]);
      await assert.rejects(openPart(memoryFile(other)), {
        name: 'DamagedError',
        what: `the footer of a part: it has format version ${version}; this version of Pitwall reads version 2`,
      });
      other[other.length - 16]! ^= 4;
      await assert.rejects(openPart(memoryFile(other)), { what: /the checksum does not match/ });
    }
  });
});

/** Like `groupOf`, which would search its dictionary once a row. */
function groupOfOneMoment(rows: readonly PlainRow[]): RowGroup {
  return {
    ...groupOf(
      1,
      rows.map((row) => ({ ...row, tags: noTags })),
    ),
    tagSets: rows.map(({ tags }) => tags),
    tagIndex: Uint32Array.from(rows.keys()),
  };
}
