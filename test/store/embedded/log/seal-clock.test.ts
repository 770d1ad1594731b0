import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sealClock } from '../../../../src/store/embedded/log/seal-clock.ts';
import { until } from '../../../until.ts';

describe('the clock that seals slabs', () => {
  const slabBytes = 1600;

  /** A log that counts how often it was asked to close its slab, and how often it was looked at. */
  function logWith({ lsn, bytes }: { lsn: number; bytes: number }) {
    const seen = { looks: 0, rotated: 0, rests: 0 };
    let left = bytes;
    return {
      seen,
      get syncedLsn() {
        seen.looks++;
        return lsn;
      },
      get currentBytes() {
        return left;
      },
      rotate() {
        seen.rotated++;
        left = 0;
      },
      async rest() {
        seen.rests++;
      },
    };
  }

  it('closes one that is filled by a sixteenth when nothing is written any more', async () => {
    const commitLog = logWith({ lsn: 7, bytes: slabBytes / 16 });
    const stop = sealClock({ commitLog, slabBytes, quietMs: 2 });
    await until(() => commitLog.seen.looks > 10);
    stop();
    assert.equal(commitLog.seen.rotated, 1);
  });

  it('leaves one with less, and one that is being written to', async () => {
    const little = logWith({ lsn: 7, bytes: slabBytes / 16 - 1 });
    const busy = logWith({ lsn: 7, bytes: slabBytes });
    Object.defineProperty(busy, 'syncedLsn', { get: () => busy.seen.looks++ });
    const stops = [little, busy].map((commitLog) => sealClock({ commitLog, slabBytes, quietMs: 2 }));
    await until(() => little.seen.looks > 10 && busy.seen.looks > 10);
    for (const stop of stops) stop();
    assert.equal(little.seen.rotated, 0);
    assert.equal(busy.seen.rotated, 0);
  });

  it('has the log rest once when nothing is written for longer, and again after a write', async () => {
    let lsn = 7;
    const commitLog = logWith({ lsn, bytes: 8 });
    Object.defineProperty(commitLog, 'syncedLsn', {
      get: () => {
        commitLog.seen.looks++;
        return lsn;
      },
    });
    const stop = sealClock({ commitLog, slabBytes, quietMs: 2, restMs: 10 });
    await until(() => commitLog.seen.looks > 40);
    assert.equal(commitLog.seen.rests, 1);
    lsn++;
    await until(() => commitLog.seen.rests > 1);
    stop();
    assert.equal(commitLog.seen.rests, 2);
  });

  it('lets a log that is written to have no rest', async () => {
    const busy = logWith({ lsn: 7, bytes: slabBytes });
    Object.defineProperty(busy, 'syncedLsn', { get: () => busy.seen.looks++ });
    const stop = sealClock({ commitLog: busy, slabBytes, quietMs: 2, restMs: 4 });
    await until(() => busy.seen.looks > 40);
    stop();
    assert.equal(busy.seen.rests, 0);
  });
});
