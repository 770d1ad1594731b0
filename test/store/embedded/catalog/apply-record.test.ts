import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type CatalogState, catalogState } from '../../../../src/store/embedded/catalog/catalog-state.ts';
import type { Change } from '../../../../src/store/store.ts';
import { catalogView } from '../catalog-view.ts';
import { commit, scratchRecord } from '../log-scratch.ts';

const count = 1000;

function definitions(from: number, fields: { readonly unit?: string; readonly name?: string }): Change {
  const list = Array.from({ length: count }, (_, i) => ({ id: `p${from + i}`, ...fields }));
  return { type: 'parameterDefinitions', topic: 't', streamId: 's', definitions: list };
}

function described(state: CatalogState) {
  return catalogView(state, 1e9).describe('default', 't', 's', 5)?.parameterDefinitions;
}

describe('a record of very many definitions', () => {
  it('is merged in small steps, and shows as a whole', () => {
    const [state, other] = [catalogState(), catalogState()];
    for (const one of [state, other]) commit(one, 1, [definitions(0, { unit: 'kg' })]);
    const before = described(state)!;
    assert.equal(before.length, count);
    const changes = [
      definitions(count / 2, { name: 'later' }),
      definitions(count / 2, { unit: 't' }),
      { ...definitions(7, {}), streamId: 'new' },
    ];
    const record = scratchRecord(state, { workspace: 'default', changes: changes as Change[] }, 2);
    const steps = record.prepareFor(state);
    let taken = 0;
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) taken++;
    assert.ok(taken >= (3 * count) / 128);
    assert.deepEqual(described(state), before);
    assert.equal(catalogView(state, 1e9).hasStream('default', 't', 'new'), false);
    step.value();
    record.applyTo(other);
    const after = described(state)!;
    assert.equal(after.length, 1.5 * count);
    assert.deepEqual(after, described(other));
    assert.deepEqual(
      after.find(({ id }) => id === `p${count}`),
      { id: `p${count}`, name: 'later', unit: 't' },
    );
    assert.equal(catalogView(state, 1e9).hasStream('default', 't', 'new'), true);
  });
});
