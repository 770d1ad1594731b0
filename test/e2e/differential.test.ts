import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { loadConfig } from '../../src/config.ts';
import { createLog } from '../../src/log.ts';
import { startService as startInProcess } from '../../src/main.ts';
import { cases } from '../extent.ts';
import { type Door, runScenario } from '../query/differential.ts';
import { seededRandom } from '../store/embedded/random.ts';
import { adminToken, forStore, isOnClickHouse, startService, storeArgs, temporaryFolder } from './service.ts';

/** DIFFERENTIAL_SEED and DIFFERENTIAL_RUNS choose the seeds; DIFFERENTIAL_STEPS is the length of each run. */
const firstSeed = Number(process.env['DIFFERENTIAL_SEED'] ?? 1);
const runs = Number(process.env['DIFFERENTIAL_RUNS'] ?? cases(4));
const steps = Number(process.env['DIFFERENTIAL_STEPS'] ?? 100);

/** The smallest slabs there are: 1 MiB. */
const smallHead = ['--head-bytes', '4MiB', '--cache-bytes', '1MiB'];

function partsIn(dataDir: string): string[] {
  return isOnClickHouse ? [] : readdirSync(join(dataDir, 'parts'));
}

async function run(seed: number, door: Door): Promise<void> {
  try {
    await runScenario(seededRandom(seed), door, steps);
  } catch (error) {
    throw new Error(`DIFFERENTIAL_SEED=${seed}: ${(error as Error).message}`, { cause: error });
  }
}

describe('queries against the reference', () => {
  it('are answered alike by a service over restarts', async () => {
    let replacedParts = 0;
    for (let seed = firstSeed; seed < firstSeed + runs; seed++) {
      const dataDir = temporaryFolder();
      const config = loadConfig({
        argv: [...(await storeArgs(dataDir)), '--listen', '127.0.0.1:0', ...forStore(smallHead)],
        env: { PITWALL_TOKEN: adminToken },
      });
      const seen = new Set<string>();
      let service = await startInProcess(config, createLog('error'));
      const door = {
        get url() {
          return service.addresses[0]!.url;
        },
        async restart() {
          await service.stop();
          for (const part of partsIn(dataDir)) seen.add(part);
          service = await startInProcess(config, createLog('error'));
        },
      };
      try {
        await run(seed, door);
      } finally {
        await service.stop();
      }
      for (const part of partsIn(dataDir)) seen.delete(part);
      replacedParts += seen.size;
    }
    assert.ok(isOnClickHouse || replacedParts > 0, 'parts were merged');
  });

  it('are answered alike by the real process over kill -9', async () => {
    const dataDir = temporaryFolder();
    let service = await startService({ dataDir, args: smallHead });
    await run(firstSeed + 1_000_000, {
      get url() {
        return service.url;
      },
      async restart() {
        await service.stop('SIGKILL');
        service = await startService({ dataDir, args: smallHead });
      },
    });
  });
});
