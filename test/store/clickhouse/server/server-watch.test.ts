import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ClickHouse } from '../../../../src/store/clickhouse/server/client.ts';
import { serverClock } from '../../../../src/store/clickhouse/server/server-clock.ts';
import { watchServer } from '../../../../src/store/clickhouse/server/server-watch.ts';
import { versionClock } from '../../../../src/store/clickhouse/server/version-clock.ts';
import { keptLog } from '../open-store.ts';

const hourMs = 3_600_000;

describe('the watch on the server', () => {
  it('lets versions go on where its clock went back, and tells the right time', async (test) => {
    test.mock.timers.enable({ apis: ['setTimeout'] });
    // The engine of the tests has the clock of the machine, which no test can set.
    let aheadMs = hourMs;
    const rows = async () => [[String(BigInt(Math.floor(Date.now() + aheadMs)) * 1_000_000n)]];
    const clickhouse = { rows } as unknown as ClickHouse;
    const server = serverClock();
    const versions = versionClock({ nowMs: server.nowMs, isShared: true });
    let looks = 0;
    const looked = async () => {
      looks++;
    };
    const watch = await watchServer(clickhouse, server, versions, keptLog().log, looked);
    const before = versions.next();
    aheadMs = 0;
    test.mock.timers.tick(1000);
    // The look, and what follows it, are turns of promises only.
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(looks, 2);
    const { version, at } = versions.stamp();
    assert.ok(version > before, `${version} ${before}`);
    assert.ok(Math.abs(Number(at / 1_000_000n) - Date.now()) < hourMs / 2, `${at}`);
    assert.equal(versions.mustLook, true);
    await watch.close();
  });
});
