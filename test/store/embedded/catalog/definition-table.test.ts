import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { ParameterDefinition } from '../../../../src/domain/definition.ts';
import { definitionTable } from '../../../../src/store/embedded/catalog/definition-table.ts';

const table = () => definitionTable<ParameterDefinition>();

describe('definitions of streams', () => {
  it('merge field by field, by id, in their order', () => {
    const { merge, of } = table();
    merge(1, [
      { id: 'b', unit: 'kg' },
      { id: 'a', name: 'A' },
    ]);
    merge(1, [
      { id: 'b', name: 'B' },
      { id: 'b', unit: 't' },
    ]);
    assert.deepEqual(of(1), [
      { id: 'a', name: 'A' },
      { id: 'b', name: 'B', unit: 't' },
    ]);
    assert.deepEqual(of(2), []);
  });

  it('are kept once where streams agree', () => {
    const { merge, of, numberOf } = table();
    merge(1, [{ id: 'a', name: 'A', unit: 'kg' }]);
    merge(2, [{ id: 'a', unit: 'kg' }]);
    assert.notEqual(numberOf(1), numberOf(2));
    merge(2, [{ id: 'a', name: 'A' }]);
    assert.equal(of(1), of(2));
    assert.equal(numberOf(1), numberOf(2));
    merge(2, [{ id: 'b' }]);
    assert.equal(of(1)[0], of(2)[0], 'a list that differs shares what is equal');
  });

  it('are forgotten when no stream has them any more, and their numbers stay used up', () => {
    const { merge, numberOf, list, remove, unused } = table();
    merge(1, [{ id: 'a', name: 'old' }]);
    merge(2, [{ id: 'a', name: 'old' }]);
    const old = numberOf(1);
    merge(1, [{ id: 'a', name: 'new' }]);
    assert.ok(list(old) !== undefined);
    remove(2);
    assert.equal(list(old), undefined);
    assert.deepEqual([...unused], [old]);
    merge(2, [{ id: 'a', name: 'old' }]);
    assert.ok(numberOf(2) > old);
  });

  it('keep the numbers that they are loaded with, also where two lists are equal', () => {
    const { assign, reserve, numberOf, of, merge, list } = table();
    reserve(9);
    assign(1, 5, [{ id: 'a' }]);
    assign(2, 7, [{ id: 'a' }]);
    assert.deepEqual([numberOf(1), numberOf(2)], [5, 7]);
    merge(1, [{ id: 'b' }]);
    assert.equal(numberOf(1), 10);
    assert.equal(list(5), undefined);
    assert.deepEqual(of(2), [{ id: 'a' }]);
  });

  it('are what a map of maps would have, whatever happens', () => {
    const definition = fc.record(
      {
        id: fc.constantFrom('a', 'b', 'c'),
        name: fc.constantFrom('x', 'y'),
        unit: fc.constantFrom('', 'kg'),
      },
      { requiredKeys: ['id'], noNullPrototype: true },
    );
    const action = fc.record({
      stream: fc.integer({ min: 1, max: 3 }),
      merged: fc.option(fc.array(definition, { maxLength: 3 })),
    });
    fc.assert(
      fc.property(fc.array(action, { maxLength: 30 }), (actions) => {
        const real = table();
        const model = new Map<number, Map<string, ParameterDefinition>>();
        for (const { stream, merged } of actions) {
          if (merged === null) {
            real.remove(stream);
            model.delete(stream);
            continue;
          }
          real.merge(stream, merged);
          const own = model.get(stream) ?? new Map<string, ParameterDefinition>();
          for (const one of merged) own.set(one.id, { ...own.get(one.id), ...one });
          model.set(stream, own);
        }
        for (const stream of [1, 2, 3]) {
          const expected = [...(model.get(stream)?.values() ?? [])].sort((a, b) => (a.id < b.id ? -1 : 1));
          assert.deepEqual(real.of(stream), expected);
          const number = real.numberOf(stream);
          assert.equal(number === 0, expected.length === 0);
          if (number > 0) assert.equal(real.list(number), real.of(stream));
        }
        for (const number of real.unused) assert.equal(real.list(number), undefined);
      }),
    );
  });
});
