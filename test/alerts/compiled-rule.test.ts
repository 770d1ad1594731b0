import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { compileRule } from '../../src/alerts/compiled-rule.ts';
import { operandRows } from '../../src/alerts/operand-rows.ts';
import { afterSilence, Firing, type RuleChange, type RuleState } from '../../src/alerts/rule-state.ts';
import { Kind, type Rows } from '../../src/domain/parameter-data.ts';
import { noTags, tagSet } from '../../src/domain/tags.ts';
import { maxTimestamp } from '../../src/domain/timestamp.ts';
import { whole } from '../../src/turns/steps.ts';
import { cases } from '../extent.ts';
import { type PlainRow, plainChanges } from './reference.ts';

describe('a rule over the rows of a stream', () => {
  it('says what the plain one says, however the rows are written', () => {
    fc.assert(
      fc.property(rules(), fc.array(writes(), { maxLength: 8 }), (rule, list) => {
        const wanted = plainChanges(
          {
            isTrue: ({ a }) => (a === undefined ? undefined : a > 5),
            clears: rule.clear === undefined ? undefined : ({ b }) => (b === undefined ? undefined : b < 3),
            forNs: rule.forNs,
          },
          list.map((write) => (write === 'silence' ? write : write.flat())),
        );
        const { changes } = said(rule, list);
        assert.deepEqual(
          changes.map(({ state, time }) => ({ state, time })),
          wanted,
        );
      }),
      { numRuns: cases(1500) },
    );
  });

  it('says nothing more when any of the writes is repeated', () => {
    fc.assert(
      fc.property(rules(), fc.array(writes(), { maxLength: 6 }), fc.nat(5), (rule, list, again) => {
        const rows = list.filter((write) => write !== 'silence');
        const { state } = said(rule, rows);
        const repeated = rows[again % Math.max(rows.length, 1)];
        if (repeated === undefined) return;
        const after = said(rule, [repeated], state);
        assert.deepEqual(after.changes, []);
        assert.deepEqual(after.state, state);
      }),
      { numRuns: cases(500) },
    );
  });

  it('says the same of a long write in order as of a plain one', () => {
    const rows = Array.from({ length: 70_000 }, (_, i) => ({
      time: BigInt(i >> 1),
      tags: i % 2 === 0 ? 'x' : 'y',
      a: i % 30_011 < 2_000 ? 9 : 1,
    }));
    const rule = { expression: 'a > 5', forNs: 10n };
    const { changes } = said(rule, [[rows]]);
    const wanted = plainChanges({ isTrue: ({ a }) => a! > 5, clears: undefined, forNs: 10n }, [rows]);
    assert.equal(wanted.length, 6);
    assert.deepEqual(
      changes.map(({ state, time }) => ({ state, time })),
      wanted,
    );
  });

  it('goes on with a run at a time of which the first row alone is not true', () => {
    // As the store gives rows for the test of a rule: several of one time, each with a value.
    const rows = {
      count: 4,
      base: 100n,
      offsets: Float64Array.of(0, 5, 5, 6),
      columns: new Map([['a', { values: Float64Array.of(9, 1, 9, 9), present: undefined }]]),
    };
    const changes: RuleChange[] = [];
    const rule = compileRule(kept({ expression: 'a > 5', forNs: 6n }));
    whole(rule.follow(undefined, rows, 0, (change) => changes.push(change)));
    assert.deepEqual(changes, [{ state: 'firing', time: 106n, row: 3 }]);
  });

  it('sees rows of several pieces in order of time, however far they are apart', () => {
    const half = 2n ** 52n;
    const pieces = [
      [row(-half, 1), row(half - 5n, 1), row(half, 1)],
      [row(half - 10n, 9), row(2n * half + 10n, 1)],
      [row(half - 10n, 7), row(half - 3n, 9)],
    ];
    const { changes } = said({ expression: 'a > 5', forNs: 0n }, [pieces]);
    const wanted = plainChanges({ isTrue: ({ a }) => a! > 5, clears: undefined, forNs: 0n }, [pieces.flat()]);
    assert.equal(wanted.length, 4);
    assert.deepEqual(
      changes.map(({ state, time }) => ({ state, time })),
      wanted,
    );
  });

  it('names the row that made the change', () => {
    const rows = whole(operandRows([rowsOf([row(1n, 1), row(2n, 9), row(3n, 1)])], new Set(['a'])))[0]!;
    const found: number[] = [];
    const rule = compileRule(kept({ expression: 'a > 5', forNs: 0n }));
    whole(
      rule.follow(undefined, rows, 0, (change) => found.push(rows.columns.get('a')!.values[change.row]!)),
    );
    assert.deepEqual(found, [9, 1]);
  });

  it('follows rows that are further apart than doubles count nanoseconds', () => {
    const far = 2n ** 62n;
    const { changes, state } = said({ expression: 'a > 5', forNs: 5n }, [
      [[row(-far, 9)], [row(far, 9)]],
      [[row(far + 4n, 1)]],
    ]);
    assert.deepEqual(
      changes.map(({ time }) => time),
      [far, far + 4n],
    );
    assert.equal(state?.firing, Firing.No);
  });
});

interface Rule {
  readonly expression: string;
  readonly clear?: string | undefined;
  readonly forNs: bigint;
}

function kept({ expression, clear, forNs }: Rule) {
  const rule = { name: 'r', expression, forNs, ...(clear === undefined ? {} : { clear }) };
  return { rule, made: 0, revision: 0 };
}

/** What a rule says of writes, each in one or several pieces. */
function said(rule: Rule, list: readonly (PlainRow[][] | 'silence')[], before?: RuleState) {
  const compiled = compileRule(kept(rule));
  const changes: RuleChange[] = [];
  let state = before;
  for (const write of list) {
    if (write === 'silence') {
      if (state?.firing === Firing.No) state = afterSilence(state, maxTimestamp);
      continue;
    }
    const rows = whole(operandRows(write.map(rowsOf), new Set(compiled.operands)));
    for (const some of rows) state = whole(compiled.follow(state, some, 0, (change) => changes.push(change)));
  }
  return { changes, state };
}

function row(time: bigint, a: number): PlainRow {
  return { time, tags: '', a };
}

function rowsOf(rows: readonly PlainRow[]): Rows {
  const base = rows.reduce((first, { time }) => (time < first ? time : first), rows[0]!.time);
  const tags = [...new Set(rows.map((one) => one.tags))];
  const column = (name: 'a' | 'b') => {
    const present = new Uint8Array((rows.length + 7) >> 3);
    for (const [i, one] of rows.entries()) if (one[name] !== undefined) present[i >> 3]! |= 1 << (i & 7);
    return { kind: Kind.Numeric, name, values: Float64Array.from(rows, (one) => one[name] ?? -1), present };
  };
  return {
    count: rows.length,
    base,
    offsets: Float64Array.from(rows, ({ time }) => Number(time - base)),
    tagSets: tags.map((tag) => (tag === '' ? noTags : tagSet([['t', tag]]))),
    tagIndex: Uint32Array.from(rows, (one) => tags.indexOf(one.tags)),
    columns: [column('a'), column('b')],
  };
}

function rules(): fc.Arbitrary<Rule> {
  return fc.record({
    expression: fc.constant('a > 5'),
    clear: fc.option(fc.constant('b < 3'), { nil: undefined }),
    forNs: fc.constantFrom(0n, 1n, 3n),
  });
}

/** A write in one to three pieces of rows in any order, or a silence before the next one. */
function writes(): fc.Arbitrary<PlainRow[][] | 'silence'> {
  const value = fc.option(fc.integer({ min: 0, max: 9 }), { nil: undefined, freq: 6 });
  const one = fc.record({
    time: fc.bigInt({ min: 0n, max: 30n }),
    tags: fc.constantFrom('', '', 'x'),
    a: value,
    b: value,
  });
  const piece = fc.array(one, { minLength: 1, maxLength: 12 });
  return fc.oneof(
    { weight: 6, arbitrary: fc.array(piece, { minLength: 1, maxLength: 3 }) },
    { weight: 1, arbitrary: fc.constant('silence' as const) },
  );
}
