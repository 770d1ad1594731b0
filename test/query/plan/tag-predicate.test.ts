import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { TagFilter } from '../../../src/domain/query.ts';
import { tagSet } from '../../../src/domain/tags.ts';
import { PitwallError } from '../../../src/errors.ts';
import { checkTagFilters, compileTagFilters } from '../../../src/query/plan/tag-predicate.ts';

const filter = (operator: TagFilter['operator'], ...values: (string | number)[]): TagFilter => ({
  tag: 'lap',
  operator,
  values,
});
const laps = ['1', '2', '2.0', '2e0', '24', '42', 'two', ''];
const chosen = (...filters: TagFilter[]) => {
  const wanted = compileTagFilters(filters)!;
  return laps.filter((lap) => wanted(tagSet([['lap', lap]])));
};

describe('tag filters', () => {
  it('are none where there are none', () => assert.equal(compileTagFilters([]), undefined));

  it('compare texts exactly and numbers as numbers', () => {
    assert.deepEqual(chosen(filter('Equal', '2')), ['2']);
    assert.deepEqual(chosen(filter('Equal', 2)), ['2', '2.0', '2e0']);
    assert.deepEqual(chosen(filter('Equal', 2, 'two')), ['2', '2.0', '2e0', 'two']);
    assert.deepEqual(chosen(filter('NotEqual', 2, '')), ['1', '24', '42', 'two']);
    assert.deepEqual(chosen(filter('Equal', 0)), [], 'an empty text is no number');
  });

  it('take no longer for a long text than it has characters', () => {
    // A pattern that tries where the fraction begins takes hours for this one.
    const wanted = compileTagFilters([filter('Equal', 2)])!;
    for (let time = 0; time < 3; time++) {
      assert.equal(wanted(tagSet([['lap', `${'9'.repeat(5_000_000)}x`]])), false);
      assert.equal(wanted(tagSet([['lap', `${'0'.repeat(5_000_000)}2`]])), true);
    }
  });

  it('search for patterns', () => {
    assert.deepEqual(chosen(filter('Like', '^[24]$')), ['2']);
    assert.deepEqual(chosen(filter('Like', '^4', 'w')), ['42', 'two']);
    assert.deepEqual(chosen(filter('NotLike', '[0-9]')), ['two', '']);
    assert.deepEqual(chosen(filter('Like', 2.0)), ['2', '2.0', '2e0', '24', '42']);
  });

  it('have to hold all', () => {
    assert.deepEqual(chosen(filter('Like', '2'), filter('NotEqual', 2)), ['24', '42']);
  });

  it('take rows without the tag as unlike everything', () => {
    const without = tagSet([['car', '2']]);
    for (const operator of ['Equal', 'Like'] as const)
      assert.equal(compileTagFilters([filter(operator, '')])!(without), false);
    for (const operator of ['NotEqual', 'NotLike'] as const)
      assert.equal(compileTagFilters([filter(operator, '')])!(without), true);
  });

  for (const [pattern, position, what] of [
    ['a(b', 1, 'missing closing )'],
    ['(a)(b(c)', 3, 'missing closing )'],
    ['ab)', 2, 'unexpected )'],
    ['[)](a', 3, 'missing closing )'],
    ['\\((a', 2, 'missing closing )'],
    ['xy[a', 2, 'missing closing ]'],
    ['ab**', 2, 'repetition'],
    ['a\\1', 1, 'escape'],
    ['ab\\', 2, 'backslash'],
    ['x(?=y)', 1, 'Perl'],
    ['x{2,1}', 1, 'repeat count'],
    ['(?:x{999}){1000}', 0, 'repeats too much'],
    ['x{1001}', 1, 'repeat count'],
    ['x{1000}'.repeat(20), 0, 'repeats too much'],
    ['a'.repeat(2000), 1024, '1024 are allowed'],
  ] as const) {
    it(`refuse ${pattern.slice(0, 20)} and say where it is wrong`, () => {
      assert.throws(
        () => compileTagFilters([filter('Equal', 1), filter('Like', 'fine', pattern)]),
        (error) => {
          assert.ok(error instanceof PitwallError);
          assert.equal(error.code, 'bad_pattern');
          assert.equal(error.errors[0]!.path, 'tagFilters[1].value[1]');
          assert.ok(error.message.includes(what), error.message);
          assert.ok(error.message.includes(`at position ${position}`), error.message);
          return true;
        },
      );
    });
  }

  it('refuse more patterns than are worth the time', () => {
    const many = Array.from({ length: 30 }, (_, i) => `${i}{900}`);
    assert.throws(
      () => checkTagFilters([filter('Like', ...many)]),
      (error) => error instanceof PitwallError && error.code === 'bad_pattern',
    );
    checkTagFilters([filter('Like', ...many.slice(0, 20)), filter('Equal', ...many)]);
  });

  it('give up where the patterns take too long, over all values', () => {
    // In texts without order the engine finds no states to remember, and makes new ones all the time.
    let state = 1;
    const letter = () => {
      state = (state * 48271) % 2147483647;
      return 'ab'[state & 1]!;
    };
    const text = (length: number) => Array.from({ length }, letter).join('');
    const tooSlow = (error: unknown) => error instanceof PitwallError && error.code === 'query_too_slow';

    const wanted = compileTagFilters([filter('Like', 'a[ab]{14}[^ab]')])!;
    assert.throws(() => {
      for (let i = 0; i < 10_000; i++) wanted(tagSet([['lap', text(60_000)]]));
    }, tooSlow);
    const tooLong = compileTagFilters([filter('NotLike', 'a[ab]{900}[^ab]')])!;
    assert.throws(() => tooLong(tagSet([['lap', text(60_000)]])), tooSlow);
  });

  it('search very many short texts for a simple pattern', async () => {
    const wanted = compileTagFilters([filter('Like', '^(lap|car)-[0-9]*7$'), filter('NotLike', 'x.*y')])!;
    let count = 0;
    for (let i = 0; i < 100_000; i++) {
      if (wanted(tagSet([['lap', `car-${i}`]]))) count++;
      // A query looks at a row group of 8192 rows, and at others when everything else has had a turn.
      if (i % 8192 === 0) await setImmediate();
    }
    assert.equal(count, 10_000);
  });

  it('take linear time for patterns that are slow elsewhere', () => {
    const wanted = compileTagFilters([filter('Like', '(a+)+$')])!;
    assert.equal(wanted(tagSet([['lap', `${'a'.repeat(50_000)}b`]])), false);
  });
});
