import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PitwallError } from '../../../src/errors.ts';
import type { CalculatingQuery, TopicExpression } from '../../../src/expression/calculation.ts';
import { isFlaw, parseExpression } from '../../../src/expression/parse.ts';
import type { Expression } from '../../../src/expression/syntax.ts';
import { maxCursorLength } from '../../../src/query/plan/cursor.ts';
import { isAggregate, planQuery } from '../../../src/query/plan/plan.ts';
import {
  decodePageState,
  encodePageState,
  type SavedStream,
} from '../../../src/store/calculated/page-state.ts';
import { type CalculatingPlan, calculates } from '../../../src/store/calculated/with-columns.ts';

const saved: readonly SavedStream[] = [
  {
    streamId: 'lap 7 😀',
    topic: 'cars',
    columns: [
      { base: -5n, parts: [[[1, -0, Number.NaN, Number.NEGATIVE_INFINITY, 0.1]], [[], [3]], []] },
      { base: undefined, parts: [] },
    ],
  },
  { streamId: 's', topic: '', columns: [{ base: 2n ** 62n + 1n, parts: [[]] }] },
];

describe('what is remembered at the end of a page', () => {
  it('comes back as it was', () => {
    const plan = planOf({});
    assert.deepEqual(decodePageState(plan, encodePageState(plan, saved)!), saved);
    assert.deepEqual(decodePageState(plan, encodePageState(plan, [])!), []);
  });

  it('belongs to the query that it was made for', () => {
    const ofTopic = (text: string): TopicExpression[] => [
      { topics: ['cars'], expression: expressionOf(text) },
    ];
    const state = encodePageState(planOf({ perTopic: ofTopic('sum(b)') }), saved)!;
    assert.ok(
      decodePageState(planOf({ perTopic: ofTopic('sum(b)'), limit: 3, to: 9n }), state) !== undefined,
    );
    for (const other of [
      { perTopic: ofTopic('sum(c)') },
      {},
      { perTopic: ofTopic('sum(b)'), text: 'integral(b)' },
      { perTopic: ofTopic('sum(b)'), from: 1n },
      { perTopic: ofTopic('sum(b)'), topic: 'cars' },
      { perTopic: ofTopic('sum(b)'), streamIds: ['s'] },
      { perTopic: ofTopic('sum(b)'), workspace: 'v' },
    ])
      assert.equal(decodePageState(planOf(other), state), undefined);
  });

  it('is left out where a cursor has no room for it', () => {
    const plan = planOf({});
    const ofLength = (length: number) =>
      encodePageState(plan, [
        { streamId: 's', topic: 't', columns: [{ base: 1n, parts: [[Array.from({ length }, () => 0.1)]] }] },
      ]);
    assert.ok(ofLength(250)!.length <= maxCursorLength);
    assert.equal(ofLength(256), undefined);
    assert.equal(ofLength(10_000), undefined);
  });

  it('is refused by name where it was cut, or something follows it', () => {
    const plan = planOf({});
    const bytes = Buffer.from(encodePageState(plan, saved)!, 'base64url');
    const cuts = Array.from(bytes, (_, length) => bytes.subarray(0, length));
    for (const forged of [...cuts, Buffer.concat([bytes, Buffer.of(0)])])
      if (forged.length < 16 || forged.subarray(0, 16).equals(bytes.subarray(0, 16)))
        assert.throws(
          () => decodePageState(plan, forged.toString('base64url')),
          (error) => error instanceof PitwallError && error.errors[0]?.path === 'cursor',
        );
  });
});

interface Asked extends Pick<CalculatingQuery, 'from' | 'to' | 'topic' | 'streamIds' | 'limit'> {
  readonly workspace?: string;
  readonly text?: string;
  readonly perTopic?: readonly TopicExpression[];
}

function planOf({ workspace = 'w', text = 'sum(a)', perTopic, ...rest }: Asked): CalculatingPlan {
  const calculation = { name: 'x', expression: expressionOf(text), aggregation: 'None' } as const;
  const plan = planQuery(workspace, {
    parameters: [],
    calculated: [{ ...calculation, ...(perTopic !== undefined && { perTopic }) }],
    ...rest,
  });
  assert.ok(!isAggregate(plan) && calculates(plan));
  return plan;
}

function expressionOf(text: string): Expression {
  const expression = parseExpression(text);
  assert.ok(!isFlaw(expression));
  return expression;
}
