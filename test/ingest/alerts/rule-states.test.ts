import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Firing } from '../../../src/alerts/rule-state.ts';
import { type StoredState, stateBody, stateId } from '../../../src/alerts/stored-state.ts';
import { documentTable } from '../../../src/domain/document.ts';
import { maxStateBytes, ruleStates, type StateName } from '../../../src/ingest/alerts/rule-states.ts';

function scratch() {
  const kept = documentTable();
  const states = ruleStates({
    documentCount: kept.count,
    documentBytes: kept.bytes,
    document: (workspace, kind, topic, id) => kept.get(workspace, { kind, topic, id }),
  });
  const keep = ({ workspace, topic, rule, streamId }: StateName, body: string) =>
    kept.put(workspace, { kind: 'alertState', topic, id: stateId(rule, streamId), body, updatedAt: 1 });
  return { kept, states, keep };
}

const none = { states: 0, bytes: 0 };

const nameOf = (streamId: string): StateName => ({ workspace: 'w', topic: 't', rule: 'hot', streamId });

function stateAt(evaluated: bigint, memory?: string): StoredState {
  return {
    evaluated,
    since: undefined,
    firing: Firing.No,
    changedAt: undefined,
    heardAt: 1,
    ahead: undefined,
    memory,
    made: 1,
    revision: 1,
    told: false,
  };
}

describe('states of rules', () => {
  it('are those of writes under way, then those that are kept, whoever wrote them', () => {
    const { states, keep } = scratch();
    const name = nameOf('s');
    assert.equal(states.get(name), undefined);
    const [first, second] = [stateAt(1n), stateAt(2n)];
    const one = states.put(name, first, stateBody(first));
    assert.equal(states.get(name), first);
    const two = states.put(name, second, stateBody(second));
    keep(name, stateBody(first));
    one.settle();
    assert.equal(states.get(name), second);
    keep(name, stateBody(second));
    two.settle();
    assert.equal(states.get(name), second);
    // Another node goes on.
    keep(name, stateBody(stateAt(3n)));
    assert.deepEqual(states.get(name), stateAt(3n));
    assert.equal(states.get(name), states.get(name));
  });

  it('are the kept ones again where a write failed', () => {
    const { states, keep } = scratch();
    const name = nameOf('s');
    keep(name, stateBody(stateAt(1n)));
    const failed = states.put(name, stateAt(2n), stateBody(stateAt(2n)));
    failed.settle();
    assert.deepEqual(states.get(name), stateAt(1n));
  });

  it('are read from what is kept where more were made than are remembered', () => {
    const { states, keep } = scratch();
    const memory = 'm'.repeat(1 << 20);
    for (let i = 0; i < 40; i++) {
      const state = stateAt(BigInt(i), memory);
      const put = states.put(nameOf(`s${i}`), state, stateBody(state));
      keep(nameOf(`s${i}`), stateBody(state));
      put.settle();
    }
    for (const i of [39, 0, 20]) assert.deepEqual(states.get(nameOf(`s${i}`)), stateAt(BigInt(i), memory));
  });

  it('that remember rows have no room, and do not grow, beyond some bytes of a workspace', () => {
    const { states, keep, kept } = scratch();
    const body = 'x'.repeat(1 << 20);
    const most = maxStateBytes >> 20;
    for (let i = 0; i < most - 1; i++) keep(nameOf(String(i)), body);
    assert.equal(states.noRoom('w', true, none), undefined);
    assert.equal(states.noGrowth('w', none), undefined);
    keep(nameOf('last'), body);
    assert.match(states.noRoom('w', true, none) ?? '', /remember 64 MiB/);
    assert.match(states.noGrowth('w', none) ?? '', /remember 64 MiB/);
    assert.equal(states.noRoom('w', false, none), undefined);
    assert.equal(states.noRoom('other', true, none), undefined);
    kept.remove('w', { kind: 'alertState', topic: 't', id: stateId('hot', 'last') });
    assert.equal(states.noRoom('w', true, none), undefined);
  });
});
