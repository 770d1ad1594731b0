import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { adminToken, launchService } from '../e2e/service.ts';
import type { StartTarget } from './conformance.ts';

/** The real process on an empty store of its own. */
export const startProcess: StartTarget = async (settings) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'pitwall-conformance-'));
  // However slow the machine is, streams stay open unless a script is about their interruption.
  const flags = new Map([['interrupted-after', '1h'], ...settings]);
  const args = [...flags].map(([name, value]) => `--${name}=${value}`);
  const start = () => launchService(dataDir, { args });
  let service = await start();
  return {
    get url() {
      return service.url;
    },
    adminToken,
    async restart(signal) {
      await service.stop(signal);
      service = await start();
    },
    async stop() {
      await service.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
};
