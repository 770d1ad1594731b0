import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Kind } from '../../../src/domain/parameter-data.ts';
import type { Aggregation } from '../../../src/domain/query.ts';
import { noTags } from '../../../src/domain/tags.ts';
import { type Aggregator, createAggregator } from '../../../src/query/aggregator.ts';
import { isAggregate, planQuery } from '../../../src/query/plan/plan.ts';
import { frameRows } from '../../../src/query/runs/rows-to-aggregate.ts';
import type { StoredColumn, StoredRows } from '../../../src/query/states/stored-rows.ts';
import { endless } from '../runs-of.ts';

/** Rows at 0, 1, 2 … ns, each with its own time as its value, in frames whose statistics are known. */
const count = 16 * frameRows;
const values = Float64Array.from({ length: count }, (_, row) => row);

type Asked = 'statistics' | 'sumRuns' | 'decodeFrames' | 'decode';

/** The rows as they are stored; `onAsk` is called before the column gives something. */
function storedRows(onAsk: (what: Asked) => void = () => undefined): StoredRows {
  const column: StoredColumn = {
    isDense: true,
    isNumeric: true,
    decode() {
      onAsk('decode');
      return { values, present: undefined };
    },
    statistics() {
      onAsk('statistics');
      return statistics;
    },
    sumRuns() {
      onAsk('sumRuns');
      return false;
    },
    decodeFrames() {
      onAsk('decodeFrames');
      return { values, present: undefined };
    },
  };
  return {
    count,
    base: 0n,
    first: 0,
    last: count - 1,
    from: 0,
    to: count - 1,
    hidden: [],
    step: 1,
    offsetOf: (row) => row,
    offsets: () => values,
    tags: () => ({ tagSets: [noTags], tagIndex: undefined }),
    columns: [column],
  };
}

const frames = Array.from({ length: count / frameRows }, (_, frame) =>
  values.subarray(frame * frameRows, (frame + 1) * frameRows),
);
const statistics = {
  min: Float64Array.from(frames, (frame) => frame[0]!),
  max: Float64Array.from(frames, (frame) => frame.at(-1)!),
  sum: Float64Array.from(frames, (frame) => frame.reduce((sum, value) => sum + value, 0)),
  hasExactSums: true,
};

function open(aggregation: Aggregation, width: number): Aggregator {
  const plan = planQuery('w', {
    parameters: [{ kind: Kind.Numeric, name: 'a', aggregation }],
    groupByTime: { width: BigInt(width), interpolation: 'None' },
  });
  assert.ok(isAggregate(plan));
  const aggregator = createAggregator(plan, { first: 0n, last: BigInt(count - 1) }, endless);
  aggregator.openStream({ topic: 't', streamId: 's' });
  return aggregator;
}

async function answerOf(aggregator: Aggregator): Promise<number[]> {
  const answer: number[] = [];
  for await (const { columns } of aggregator.finish(() => undefined)) {
    for (const column of columns) if (column?.kind === Kind.Numeric) answer.push(...column.values);
  }
  return answer;
}

async function alone(aggregation: Aggregation, width: number): Promise<number[]> {
  const aggregator = open(aggregation, width);
  aggregator.addStored(storedRows());
  return await answerOf(aggregator);
}

describe('two aggregations of which one works while the other is at a block', () => {
  // A width that lets frames be used for the whole of some buckets, and leaves rows at their borders.
  const width = 5 * frameRows + 7;

  it('are both right, whatever the first is doing', async () => {
    for (const [aggregation, moment] of [
      ['Sum', 'sumRuns'],
      ['Sum', 'statistics'],
      ['Sum', 'decodeFrames'],
      ['First', 'decodeFrames'],
      ['Median', 'decode'],
    ] as const) {
      let asked = 0;
      const [one, other] = [open(aggregation, width), open('Sum', 3 * frameRows + 1)];
      one.addStored(
        storedRows((what) => {
          if (what !== moment) return;
          asked++;
          other.addStored(storedRows());
        }),
      );
      assert.equal(asked, 1, `${aggregation} asked for ${moment}`);
      assert.deepEqual(await answerOf(one), await alone(aggregation, width), `${aggregation}, ${moment}`);
      assert.deepEqual(await answerOf(other), await alone('Sum', 3 * frameRows + 1));
    }
  });

  it('are both right where one began in what a finished one gave back', async () => {
    const finished = open('Sum', width);
    finished.addStored(storedRows());
    const answer = finished.finish(() => undefined);
    await answer.next();
    const [one, other] = [open('Sum', width), open('Sum', 2 * width)];
    one.addStored(storedRows((what) => what === 'statistics' && other.addStored(storedRows())));
    assert.deepEqual(await answerOf(one), await alone('Sum', width));
    assert.deepEqual(await answerOf(other), await alone('Sum', 2 * width));
    assert.throws(() => finished.addStored(storedRows()), /finished/);
  });
});
