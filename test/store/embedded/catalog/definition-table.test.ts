import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { ParameterDefinition } from '../../../../src/domain/definition.ts';
import { definitionTable } from '../../../../src/store/embedded/catalog/definition-table.ts';

const table = () => definitionTable<ParameterDefinition>();

describe('definitions of streams', () => {
  it('merge field by field, by id, in their order', () => {
    const definitions = table();
    definitions.merge(1, [
      { id: 'b', unit: 'kg' },
      { id: 'a', name: 'A' },
    ]);
    definitions.merge(1, [
      { id: 'b', name: 'B' },
      { id: 'b', unit: 't' },
    ]);
    assert.deepEqual(definitions.of(1), [
      { id: 'a', name: 'A' },
      { id: 'b', name: 'B', unit: 't' },
    ]);
    assert.deepEqual(definitions.of(2), []);
  });

  it('are kept once where streams agree', () => {
    const definitions = table();
    definitions.merge(1, [{ id: 'a', name: 'A', unit: 'kg' }]);
    definitions.merge(2, [{ id: 'a', unit: 'kg' }]);
    assert.notEqual(definitions.numberOf(1), definitions.numberOf(2));
    definitions.merge(2, [{ id: 'a', name: 'A' }]);
    assert.equal(definitions.of(1), definitions.of(2));
    assert.equal(definitions.numberOf(1), definitions.numberOf(2));
    definitions.merge(2, [{ id: 'b' }]);
    assert.equal(definitions.of(1)[0], definitions.of(2)[0], 'a list that differs shares what is equal');
  });

  it('are forgotten when no stream has them any more, and their numbers stay used up', () => {
    const definitions = table();
    definitions.merge(1, [{ id: 'a', name: 'old' }]);
    definitions.merge(2, [{ id: 'a', name: 'old' }]);
    const old = definitions.numberOf(1);
    definitions.merge(1, [{ id: 'a', name: 'new' }]);
    assert.ok(definitions.list(old) !== undefined);
    definitions.remove(2);
    assert.equal(definitions.list(old), undefined);
    assert.deepEqual([...definitions.unused], [old]);
    definitions.merge(2, [{ id: 'a', name: 'old' }]);
    assert.ok(definitions.numberOf(2) > old);
  });

  it('keep the numbers that they are loaded with, also where two lists are equal', () => {
    const definitions = table();
    definitions.reserve(9);
    definitions.assign(1, 5, [{ id: 'a' }]);
    definitions.assign(2, 7, [{ id: 'a' }]);
    assert.deepEqual([definitions.numberOf(1), definitions.numberOf(2)], [5, 7]);
    definitions.merge(1, [{ id: 'b' }]);
    assert.equal(definitions.numberOf(1), 10);
    assert.equal(definitions.list(5), undefined);
    assert.deepEqual(definitions.of(2), [{ id: 'a' }]);
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
