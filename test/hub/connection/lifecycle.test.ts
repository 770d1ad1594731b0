import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { lifecycleEvents, type State, states, step } from '../../../src/hub/connection/lifecycle.ts';

describe('the lifecycle of a hub connection', () => {
  it('says what every event means in every state', () => {
    for (const state of states) {
      for (const event of lifecycleEvents) {
        const next = step(state, event);
        if (next !== undefined) assert.ok(states.includes(next.to), `${state} ${event}`);
      }
    }
  });

  it('never goes back, whatever happens', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...lifecycleEvents)), (events) => {
        let state: State = 'negotiated';
        for (const event of events) {
          const next = step(state, event);
          if (next === undefined) continue;
          assert.ok(states.indexOf(next.to) > states.indexOf(state), `${state} ${event} ${next.to}`);
          state = next.to;
        }
      }),
    );
  });

  it('tells a client goodbye at most once, and only where a transport will still carry it', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...lifecycleEvents)), (events) => {
        let state: State = 'negotiated';
        let farewells = 0;
        for (const event of events) {
          const next = step(state, event);
          if (next === undefined) continue;
          if (next.say !== 'nothing') {
            farewells++;
            assert.equal(next.to, 'draining');
            assert.notEqual(state, 'negotiated');
          }
          state = next.to;
        }
        assert.ok(farewells <= 1);
      }),
    );
  });

  it('ends from every state by time alone', () => {
    for (const first of states) {
      let state: State = first;
      for (let i = 0; i < states.length; i++) state = step(state, 'expired')?.to ?? state;
      assert.equal(state, 'closed');
    }
  });

  it('ends from every state when the transport is lost', () => {
    for (const state of states) assert.equal(step(state, 'lost')?.to ?? state, 'closed');
  });

  it('answers calls in flight before it says goodbye at a stop', () => {
    assert.deepEqual(step('connected', 'stopping'), { to: 'finishing', say: 'nothing' });
    assert.deepEqual(step('finishing', 'idle'), { to: 'draining', say: 'closeToReconnect' });
    assert.equal(step('connected', 'idle'), undefined);
  });
});
