import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Kind } from '../../../src/domain/parameter-data.ts';
import type { Aggregation, Interpolation, ParameterDataQuery } from '../../../src/domain/query.ts';
import { PitwallError } from '../../../src/errors.ts';
import { encodeCursor, encodeGroupCursor } from '../../../src/query/plan/cursor.ts';
import { type AggregatePlan, isAggregate, planQuery, shapeOf } from '../../../src/query/plan/plan.ts';

const parameter = (aggregation: Aggregation, name = 'Speed', kind: Kind = Kind.Numeric) => ({
  kind,
  name,
  aggregation,
});
const year = 31_557_600_000_000_000n;

function plan(query: ParameterDataQuery): AggregatePlan {
  const made = planQuery('w', query);
  assert.ok(isAggregate(made));
  return made;
}

function refused(query: ParameterDataQuery): PitwallError {
  try {
    planQuery('w', query);
  } catch (error) {
    assert.ok(error instanceof PitwallError);
    return error;
  }
  assert.fail('the query was planned');
}

describe('planning', () => {
  it('names columns after their aggregation, each once, over parameters that are read once', () => {
    const made = plan({
      parameters: [
        parameter('Mean'),
        parameter('StdDev'),
        parameter('Mean'),
        parameter('Last', 'Gear', Kind.String),
        parameter('Count', 'Gear', Kind.String),
      ],
      groupBy: ['lap'],
    });
    assert.deepEqual(made.parameters, [
      { kind: Kind.Numeric, name: 'Speed' },
      { kind: Kind.String, name: 'Gear' },
    ]);
    assert.deepEqual(
      made.columns.map(({ name, kind, parameter }) => [name, kind, parameter]),
      [
        ['mean(Speed)', Kind.Numeric, 0],
        ['stddev(Speed)', Kind.Numeric, 0],
        ['last(Gear)', Kind.String, 1],
        ['count(Gear)', Kind.Numeric, 1],
      ],
    );
    assert.deepEqual(shapeOf(made, made.groupBy), { columns: made.columns, groupBy: ['lap'] });
  });

  it('reads raw rows where nothing is aggregated', () => {
    const made = planQuery('w', { parameters: [parameter('None'), parameter('None')] });
    assert.ok(!isAggregate(made));
    assert.deepEqual(made.parameters, [{ kind: Kind.Numeric, name: 'Speed' }]);
  });

  it('refuses two columns of one name', () => {
    const error = refused({ parameters: [parameter('Count', 'x'), parameter('Count', 'x', Kind.String)] });
    assert.equal(error.code, 'invalid_value');
    assert.match(error.message, /count\(x\)/);
  });

  const buckets = (width: bigint, interpolation: Interpolation, to = year) => ({
    parameters: [parameter('Mean')],
    from: 0n,
    to,
    groupByTime: { width, interpolation },
  });

  it('refuses a nanosecond over a year, and says what would do', () => {
    for (const interpolation of ['None', 'Null', 'Linear', 'Previous', 'Zero'] as const) {
      const error = refused(buckets(1n, interpolation));
      assert.equal(error.code, 'too_many_buckets');
      assert.equal(error.errors[0]!.path, 'groupByTime.timeBucketDuration');
      const [, width] = /buckets of (\d+) ns or more/.exec(error.message)!;
      plan(buckets(BigInt(width!), interpolation));
    }
  });

  it('counts buckets to the last one', () => {
    plan(buckets(10n, 'Null', 9_999_999n));
    assert.match(refused(buckets(10n, 'Null', 10_000_000n)).message, /1000001 buckets/);
    plan(buckets(10n, 'None', 10_000_000n));
  });

  it('takes the cursor of its own kind of rows only', () => {
    const raw = encodeCursor({ timestamp: 1n, topic: 't', streamId: 's', tags: '[]' });
    const grouped = encodeGroupCursor({ timestamp: 1n, group: ['1', undefined] });
    const asked = { parameters: [parameter('Mean')], groupBy: ['lap', 'car'] };
    assert.deepEqual(plan({ ...asked, cursor: grouped }).after, { timestamp: 1n, group: ['1', undefined] });
    assert.equal(refused({ ...asked, cursor: raw }).errors[0]!.path, 'cursor');
    assert.equal(refused({ ...asked, groupBy: ['lap'], cursor: grouped }).errors[0]!.path, 'cursor');
    assert.equal(refused({ parameters: [parameter('None')], cursor: grouped }).errors[0]!.path, 'cursor');
  });

  it('refuses a pattern that is none', () => {
    const error = refused({
      parameters: [parameter('None')],
      tagFilters: [{ tag: 'lap', operator: 'NotLike', values: ['('] }],
    });
    assert.equal(error.code, 'bad_pattern');
    assert.equal(error.errors[0]!.path, 'tagFilters[0].value');
  });
});
