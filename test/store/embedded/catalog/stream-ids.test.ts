import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { streamIds } from '../../../../src/store/embedded/catalog/stream-ids.ts';

describe('the streams of a topic by their ids', () => {
  it('are those of a map, in its order', () => {
    const id = fc.integer({ min: 0, max: 40 }).map((number) => `id ${number}`);
    const step = fc.oneof(
      { weight: 6, arbitrary: fc.record({ type: fc.constant('set' as const), id }) },
      { weight: 3, arbitrary: fc.record({ type: fc.constant('delete' as const), id }) },
      { weight: 1, arbitrary: fc.record({ type: fc.constant('clear' as const), id }) },
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const names: string[] = [''];
        const ids = streamIds((number) => names[number]!);
        const model = new Map<string, number>();
        for (const one of steps) {
          if (one.type === 'set') {
            names.push(one.id);
            ids.set(one.id, names.length - 1);
            model.set(one.id, names.length - 1);
          } else if (one.type === 'delete') {
            ids.delete(one.id);
            model.delete(one.id);
          } else {
            ids.clear();
            model.clear();
          }
          assert.equal(ids.get(one.id), model.get(one.id));
        }
        assert.deepEqual([...ids.values()], [...model.values()]);
        for (let number = 0; number <= 40; number++)
          assert.equal(ids.get(`id ${number}`), model.get(`id ${number}`));
      }),
      { numRuns: 300 },
    );
  });

  it('keep the higher number where the newer one is asked for', () => {
    const names = ['', 'a', 'b', 'a', 'b'];
    const ids = streamIds((number) => names[number]!);
    for (const number of [3, 1, 2, 4]) ids.setNewer(names[number]!, number);
    assert.deepEqual([ids.get('a'), ids.get('b')], [3, 4]);
    ids.delete('a');
    ids.setNewer('a', 1);
    assert.equal(ids.get('a'), 1);
  });

  it('may be a hundred thousand', () => {
    const names = ['', ...Array.from({ length: 100_000 }, (_, i) => `vehicle-${i}`)];
    const ids = streamIds((number) => names[number]!);
    for (let number = 1; number < names.length; number++) ids.set(names[number]!, number);
    for (let number = 1; number < names.length; number += 2) ids.delete(names[number]!);
    for (let number = 1; number < names.length; number++)
      assert.equal(ids.get(names[number]!), number % 2 === 0 ? number : undefined);
    assert.equal([...ids.values()].length, 50_000);
  });
});
