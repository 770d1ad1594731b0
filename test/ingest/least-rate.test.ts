import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { PitwallError } from '../../src/errors.ts';
import { createLeastRate } from '../../src/ingest/least-rate.ts';

/** Ten ticks of a second are one span of grace; at least 100 bytes a second. */
function tenSeconds() {
  let slow = 0;
  const rate = createLeastRate({ bytesPerSecond: 100, graceMs: 10_000, onSlow: () => slow++ });
  assert.equal(rate.tickMs, 1000);
  const given: PitwallError[] = [];
  return {
    rate,
    given,
    slow: () => slow,
    watch: () => rate.watch((error) => given.push(error)),
    seconds(count: number) {
      for (let i = 0; i < count; i++) rate.tick();
    },
  };
}

describe('the least rate', () => {
  it('gives up what brings nothing, once, after the time of grace', () => {
    const { given, watch, seconds, slow } = tenSeconds();
    watch();
    seconds(9);
    assert.equal(given.length, 0);
    seconds(20);
    assert.equal(given.length, 1);
    assert.equal(slow(), 1);
    assert.equal(given[0]!.code, 'request_timeout');
    assert.equal(
      given[0]!.message,
      'the body comes too slowly: it must bring 100 bytes a second, over any 10 s',
    );
  });

  it('gives up what began fast and trickles then', () => {
    const { given, watch, seconds } = tenSeconds();
    const body = watch();
    body.arrived(32_000_000);
    for (let second = 0; second < 20; second++) {
      assert.equal(given.length, 0);
      body.arrived(1);
      seconds(1);
    }
    assert.equal(given.length, 1);
  });

  it('leaves alone what keeps the rate, what has ended, and what nobody reads', () => {
    const { given, watch, seconds } = tenSeconds();
    const steady = watch();
    const ended = watch();
    const unread = watch();
    ended.end();
    unread.pause();
    for (let second = 0; second < 60; second++) {
      steady.arrived(100);
      seconds(1);
    }
    assert.equal(given.length, 0);
    unread.resume();
    for (let second = 0; second < 10; second++) {
      steady.arrived(100);
      seconds(1);
    }
    assert.equal(given.length, 1);
  });
});
