import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Kind } from '../../../../src/domain/parameter-data.ts';
import type { ParameterDataQuery } from '../../../../src/domain/query.ts';
import { noTags } from '../../../../src/domain/tags.ts';
import { queryMemoryPool } from '../../../../src/query/bounds/query-memory.ts';
import { uncounted } from '../../../../src/query/bounds/running-queries.ts';
import { isAggregate, planQuery } from '../../../../src/query/plan/plan.ts';
import { openPart } from '../../../../src/store/embedded/parts/part-reader.ts';
import { aggregate } from '../../../../src/store/embedded/read/aggregate.ts';
import { timeList } from '../../../../src/store/embedded/rows/time-list.ts';
import { groupOf, memoryFile, writePart } from '../row-groups.ts';

const [stream, parameter] = [1, 4];
/** Row groups of one frame each: more than two stretches. */
const [groups, rows] = [300, 128];
const count = groups * rows;
const values = Float64Array.from({ length: count }, (_, i) => ((i * 7919) % 1_000_003) / 1000);

/** A part with a row each nanosecond, and what is read of it. */
async function partOf(numbers: Float64Array) {
  const written = Array.from({ length: groups }, (_, group) =>
    groupOf(
      stream,
      Array.from({ length: rows }, (_, i) => ({
        offset: group * rows + i,
        tags: noTags,
        values: { [parameter]: numbers[group * rows + i]! },
      })),
    ),
  );
  const { bytes } = writePart(written, { window: 0, firstLsn: 1, lastLsn: 1 });
  const file = memoryFile(bytes);
  const reader = await openPart(file);
  const index = await reader.readIndex();
  assert.equal(index.count, groups);
  await reader.pinIndex();
  const groupsEnd = index.groups.positions.at(-1)!;
  const record = {
    number: 1,
    window: 0,
    firstLsn: 1,
    lastLsn: 1,
    rows: count,
    samples: count,
    bytes: 0,
    level: 0,
  };
  const part = { record: { ...record, minOffset: 0, maxOffset: count - 1 }, path: 'a.part' };
  const open = {
    snapshot: { parts: [part], heads: [], tombstones: [], kept: undefined },
    readers: { open: async () => reader, opened: () => reader },
  };

  async function ask(query: Partial<ParameterDataQuery>) {
    const aggregations = ['Count', 'Sum', 'Min', 'Max', 'First', 'Last'] as const;
    const asked = aggregations.map((aggregation) => ({ kind: Kind.Numeric, name: 'a', aggregation }));
    const plan = planQuery('w', { parameters: asked, ...query });
    assert.ok(isAggregate(plan));
    const bound = {
      count: 1,
      streams: Uint32Array.of(stream),
      ids: ['s'],
      topics: ['t'],
      firsts: timeList(),
      lasts: timeList(),
      parameters: [parameter],
    };
    bound.firsts.set(0, 0, 0);
    bound.lasts.set(0, 0, count - 1);
    file.reads.length = 0;
    const memory = queryMemoryPool(1 << 24, 1 << 24).open();
    const found: number[][] = [];
    const { signal } = new AbortController();
    const terms = { signal, maxMs: 60_000, countRows: uncounted };
    for await (const block of aggregate(plan, bound, open, memory, terms)) {
      for (let row = 0; row < block.count; row++)
        found.push(block.columns.map((column) => (column as { values: Float64Array }).values[row]!));
    }
    const read = file.reads.filter(([position]) => position < groupsEnd).length;
    return { found, groups: read, others: file.reads.length - read };
  }
  return ask;
}

/** The same as the plainest loop has it. */
function plain(numbers: Float64Array, from: number, to: number): number[] {
  const all = numbers.subarray(from, to);
  const some = all.filter((value) => !Number.isNaN(value));
  const sum = some.reduce((total, value) => total + Math.round(value * 1000), 0) / 1000;
  return [all.length, sum, Math.min(...some), Math.max(...some), all[0]!, all.at(-1)!];
}

const none = 'None' as const;

describe('a range of row groups', () => {
  it('is added by the totals of stretches where it is wanted whole', async () => {
    const ask = await partOf(values);
    const { found, groups: read, others } = await ask({ parameters: of('Mean'), from: 0n });
    assert.equal(found.length, 1);
    // The head of the statistics.
    assert.deepEqual([read, others], [0, 1]);
    assert.deepEqual((await ask({ from: 0n })).found, [plain(values, 0, count)]);
  });

  it('is added by stretches, row groups and frames where buckets cut it', async () => {
    const ask = await partOf(values);
    // The first bucket begins in row group 2 and ends in 250; between are one whole stretch and parts of two others.
    const width = 250 * rows + 50;
    const from = 2 * rows + 30;
    const answer = await ask({
      from: BigInt(from),
      to: BigInt(count - 40),
      groupByTime: { width: BigInt(width), interpolation: none },
    });
    assert.deepEqual(answer.found, [plain(values, from, width), plain(values, width, count - 39)]);
    assert.equal(answer.groups, 3);
  });

  it('is read where its totals are not known', async () => {
    const odd = values.slice();
    odd[140 * rows + 5] = Number.NaN;
    const ask = await partOf(odd);
    const answer = await ask({ from: 0n });
    assert.deepEqual(answer.found, [plain(odd, 0, count)]);
    assert.equal(answer.groups, 1);
  });

  it('is read for sums that are not exact, and not for extremes', async () => {
    const ask = await partOf(values.map((value) => value * Math.PI));
    assert.equal((await ask({ parameters: of('Sum'), from: 0n })).groups, groups);
    assert.equal((await ask({ parameters: of('Max'), from: 0n })).groups, 0);
  });
});

function of(aggregation: 'Mean' | 'Sum' | 'Max') {
  return [{ kind: Kind.Numeric, name: 'a', aggregation }];
}
