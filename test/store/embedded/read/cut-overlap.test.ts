import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Kind } from '../../../../src/domain/parameter-data.ts';
import { maxTimestamp, minTimestamp } from '../../../../src/domain/timestamp.ts';
import { queryMemoryPool } from '../../../../src/query/bounds/query-memory.ts';
import { uncounted } from '../../../../src/query/bounds/running-queries.ts';
import { isAggregate, planQuery } from '../../../../src/query/plan/plan.ts';
import { aggregate } from '../../../../src/store/embedded/read/aggregate.ts';
import { bindStreams } from '../../../../src/store/embedded/read/bind-streams.ts';
import { piecesOf } from '../../../../src/store/embedded/read/stream-pieces.ts';
import type { OpenSnapshot } from '../../../../src/store/embedded/snapshot/snapshot.ts';
import { indexWindows, letGoOf, partsByWindow } from '../../../../src/store/embedded/walk/indexed-parts.ts';
import { whole } from '../../../../src/turns/steps.ts';
import { cases } from '../../../extent.ts';
import { rowsOf } from '../rows.ts';
import { type SnapshotScratch, snapshotScratch } from '../snapshot-scratch.ts';

const second = 1_000_000_000n;
const terms = { signal: new AbortController().signal, maxMs: 60_000, countRows: uncounted };
const aggregations = ['Count', 'Sum', 'Min', 'Max', 'First', 'Last'] as const;
const everything = { from: minTimestamp, to: maxTimestamp };

/** Values by second: rows that were written later win. */
type Model = Map<number, number>;

/** Writes a row each `step` seconds. */
function write(
  scratch: SnapshotScratch,
  model: Model,
  first: number,
  count: number,
  step: number,
  base: number,
): void {
  const rows = Array.from({ length: count }, (_, i) => {
    const at = first + i * step;
    model.set(at, base + i);
    return { time: BigInt(at) * second, cells: { speed: base + i } };
  });
  scratch.write({ type: 'rows', topic: 't', streamId: 'a', rows: [rowsOf(rows)] });
}

/** [second of the bucket, values in the order of `aggregations`]. */
async function ask(scratch: SnapshotScratch, open: OpenSnapshot, bucketSeconds: number): Promise<number[][]> {
  const plan = planQuery('w', {
    parameters: aggregations.map((aggregation) => ({ kind: Kind.Numeric, name: 'speed', aggregation })),
    groupByTime: { width: BigInt(bucketSeconds) * second, interpolation: 'None' },
  });
  assert.ok(isAggregate(plan));
  const memory = queryMemoryPool(1 << 20, 1 << 20).open();
  const found: number[][] = [];
  for await (const { count, base, offsets, columns } of aggregate(
    plan,
    whole(bindStreams(scratch.state, plan)),
    open,
    memory,
    terms,
  )) {
    for (let row = 0; row < count; row++) {
      const values = columns.map((column) => {
        assert.ok(column?.kind === Kind.Numeric);
        return column.values[row]!;
      });
      found.push([Number((base + BigInt(offsets[row]!)) / second), ...values]);
    }
  }
  return found;
}

function expected(model: Model, bucketSeconds: number): number[][] {
  const buckets = new Map<number, number[]>();
  for (const [at, value] of [...model].sort(([a], [b]) => a - b)) {
    const bucket = Math.floor(at / bucketSeconds) * bucketSeconds;
    buckets.set(bucket, [...(buckets.get(bucket) ?? []), value]);
  }
  return [...buckets].map(([bucket, values]) => [
    bucket,
    values.length,
    values.reduce((sum, value) => sum + value, 0),
    Math.min(...values),
    Math.max(...values),
    values[0]!,
    values.at(-1)!,
  ]);
}

/** What is merged row by row of the stream, in seconds of its sources. */
async function mergedSpans(
  scratch: SnapshotScratch,
  open: OpenSnapshot,
): Promise<{ merged: number; alone: number }> {
  const stream = scratch.state.topicsByName.get('w')!.get('t')!.streams.get('a')!;
  const { number } = scratch.state.parametersByName[Kind.Numeric].get('speed')!;
  const parts = await indexWindows(open.readers, partsByWindow(open.snapshot, everything), () => undefined);
  const range = { ...everything, parameters: new Set([number]), withEvents: false };
  const pieces = piecesOf(open.snapshot, parts, stream, range).flatMap((chain) => chain.pieces);
  for (const indexed of parts.values()) letGoOf(indexed);
  let [merged, alone] = [0, 0];
  for (const piece of pieces) {
    const span = (first: number, last: number) => (last - first) / Number(second);
    if (piece.kind === 'group') alone += span(piece.group.first, piece.group.last);
    if (piece.kind !== 'overlap') continue;
    const first = Math.min(...piece.sources.map((source) => source.first));
    merged += span(first, Math.max(...piece.sources.map((source) => source.last)));
  }
  return { merged, alone };
}

async function withScratch(use: (scratch: SnapshotScratch) => Promise<void>): Promise<void> {
  const scratch = snapshotScratch('w');
  try {
    await use(scratch);
  } finally {
    await scratch.close();
  }
}

describe('late rows in the middle of a row group', () => {
  it('are merged with the rows around them, and not with all of the group', () =>
    withScratch(async (scratch) => {
      const model: Model = new Map();
      write(scratch, model, 0, 8000, 10, 0);
      await scratch.seal();
      write(scratch, model, 30_003, 300, 7, 100_000);
      const open = scratch.take();
      const { merged, alone } = await mergedSpans(scratch, open);
      assert.ok(merged >= 2093 && merged < 2200, `${merged} s are merged`);
      assert.ok(alone > 77_000, `${alone} s are left as they are`);
      assert.deepEqual(await ask(scratch, open, 3600), expected(model, 3600));
      open.release();
    }));

  it('give the answers of one list of rows, wherever they fall', async () => {
    const batch = fc.record({
      first: fc.integer({ min: -3000, max: 14_000 }),
      count: fc.integer({ min: 1, max: 900 }),
      step: fc.constantFrom(1, 2, 5),
      seal: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(batch, { minLength: 1, maxLength: 6, size: 'max' }),
        fc.constantFrom(60, 777, 100_000),
        (batches, bucketSeconds) =>
          withScratch(async (scratch) => {
            const model: Model = new Map();
            write(scratch, model, 20_000, 5000, 2, 0);
            await scratch.seal();
            for (const [i, { first, count, step, seal }] of batches.entries()) {
              write(scratch, model, 20_000 + first, count, step, 10_000 * (i + 1));
              if (seal) await scratch.seal();
            }
            const open = scratch.take();
            assert.deepEqual(await ask(scratch, open, bucketSeconds), expected(model, bucketSeconds));
            open.release();
          }),
      ),
      { numRuns: cases(60) },
    );
  });
});
