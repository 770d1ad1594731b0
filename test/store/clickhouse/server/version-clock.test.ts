import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { leadOf, versionClock } from '../../../../src/store/clickhouse/server/version-clock.ts';

const hourMs = 3_600_000;
const ns = (ms: number) => BigInt(ms) * 1_000_000n;

describe('the clock of versions', () => {
  it('never gives a version twice, even if time stands or goes back', () => {
    let now = 1000;
    const clock = versionClock({ nowMs: () => now, isShared: true });
    assert.equal(clock.next(), 1_000_000_000n);
    assert.equal(clock.inOneMs(3).next(), 1_000_000_001n);
    assert.equal(clock.next(), 1_000_000_004n);
    now = 10;
    assert.equal(clock.next(), 1_000_000_005n);
    now = 1001;
    assert.equal(clock.next(), 1_001_000_000n);
  });

  it('goes on above a version that is ahead, as fast as time but for a tenth, and says when things came', () => {
    let now = hourMs;
    const clock = versionClock({ nowMs: () => now, isShared: true });
    assert.equal(clock.mustLook, false);
    clock.see(ns(3 * hourMs));
    assert.deepEqual(clock.stamp(), { version: ns(3 * hourMs) + 1n, at: ns(now) });
    assert.equal(clock.mustLook, true);
    now += 10_000;
    assert.deepEqual(clock.stamp(), { version: ns(3 * hourMs + 9000), at: ns(now) });
    now += 20 * hourMs;
    assert.deepEqual(clock.stamp(), { version: ns(now), at: ns(now) });
    assert.equal(clock.mustLook, false);
  });

  it('is not moved by versions that are behind it', () => {
    const clock = versionClock({ nowMs: () => 1000, isShared: true });
    clock.see(ns(999));
    assert.equal(clock.next(), ns(1000));
    assert.equal(clock.reading(), ns(1000));
  });

  it('goes on above versions that are years ahead, and passes over those that no clock shows', () => {
    const clock = versionClock({ nowMs: () => 1000, isShared: true });
    const inYears = ns(200 * 365 * 24 * hourMs);
    clock.see(inYears);
    clock.see(2n ** 64n - 1n);
    assert.deepEqual(clock.stamp(), { version: inYears + 1n, at: ns(1000) });
  });

  it('looks before each change where the other nodes have other clocks', () => {
    assert.equal(versionClock({ nowMs: Date.now, isShared: false }).mustLook, true);
  });

  it('takes a lead of less than a second for none', () => {
    assert.equal(leadOf(ns(5999), ns(5000)), 0n);
    assert.equal(leadOf(ns(6000), ns(5000)), ns(1000));
    assert.equal(leadOf(ns(5000), ns(6000)), 0n);
  });
});
