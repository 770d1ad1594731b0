import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sealClock } from '../../../../src/store/embedded/log/seal-clock.ts';
import { until } from '../store-folder.ts';

describe('the clock that seals slabs', () => {
  const slabBytes = 1600;

  /** A log that counts how often it was asked to close its slab, and how often it was looked at. */
  function logWith(start: { lsn: number; bytes: number }) {
    const log = {
      ...start,
      looks: 0,
      rotated: 0,
      get syncedLsn() {
        log.looks++;
        return log.lsn;
      },
      get currentBytes() {
        return log.bytes;
      },
      rotate() {
        log.rotated++;
        log.bytes = 0;
      },
    };
    return log;
  }

  it('closes one that is filled by a sixteenth when nothing is written any more', async () => {
    const commitLog = logWith({ lsn: 7, bytes: slabBytes / 16 });
    const stop = sealClock({ commitLog, slabBytes, quietMs: 2 });
    await until(() => commitLog.looks > 10);
    stop();
    assert.equal(commitLog.rotated, 1);
  });

  it('leaves one with less, and one that is being written to', async () => {
    const little = logWith({ lsn: 7, bytes: slabBytes / 16 - 1 });
    const busy = logWith({ lsn: 7, bytes: slabBytes });
    Object.defineProperty(busy, 'syncedLsn', { get: () => busy.looks++ });
    const stops = [little, busy].map((commitLog) => sealClock({ commitLog, slabBytes, quietMs: 2 }));
    await until(() => little.looks > 10 && busy.looks > 10);
    for (const stop of stops) stop();
    assert.equal(little.rotated, 0);
    assert.equal(busy.rotated, 0);
  });
});
