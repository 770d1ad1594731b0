import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mutableTable } from '../../src/store/clickhouse/server/schema.ts';
import { adminToken, clusterUnderTest, databaseOf, isOnClickHouse, launchService } from '../e2e/service.ts';
import { withClickHouse } from '../store/clickhouse/open-store.ts';
import type { StartTarget } from './conformance.ts';

/**
 * The real process on an empty store of its own. On ClickHouse nothing is merged while scripts run and after a
 * kill, and all of it before scripts ask again after a stop.
 */
export const startProcess: StartTarget = async (settings) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'pitwall-conformance-'));
  // However slow the machine is, streams stay open unless a script is about their interruption.
  const flags = new Map([['interrupted-after', '1h'], ...settings]);
  const args = [...flags].map(([name, value]) => `--${name}=${value}`);
  const start = () => launchService(dataDir, { args });
  let service = await start();
  if (isOnClickHouse) await run(dataDir, `ALTER TABLE ${windowsTable} MODIFY SETTING ${nothingMerged}`);
  return {
    get url() {
      return service.url;
    },
    adminToken,
    async restart(signal) {
      await service.stop(signal);
      if (isOnClickHouse && signal === 'SIGTERM') {
        await run(dataDir, `OPTIMIZE TABLE ${windowsTable} FINAL`);
      }
      service = await start();
    },
    async stop() {
      await service.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
};

const windowsTable = mutableTable({ cluster: clusterUnderTest }, 'windows');

/** A STOP MERGES would hold up deletes for good as well. */
const nothingMerged =
  'max_bytes_to_merge_at_max_space_in_pool = 1, max_bytes_to_merge_at_min_space_in_pool = 1';

async function run(dataDir: string, text: string): Promise<void> {
  await withClickHouse(await databaseOf(dataDir), (clickhouse) => clickhouse.command({ text, params: {} }));
}
