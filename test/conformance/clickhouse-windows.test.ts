import { after, before, describe } from 'node:test';
import { type Engine, engineMissing, notAsked, startEngine } from '../clickhouse/engine.ts';
import { adminToken, launchNode } from '../e2e/service.ts';
import { withClickHouse } from '../store/clickhouse/open-store.ts';
import { type StartTarget, testConformance } from './conformance.ts';
import { readScripts } from './script.ts';

/** Rules of what is deleted and read: the others depend less on how values are kept. */
const folders = ['aggregation', 'range-deletes', 'raw-rows', 'tags'];

const scripts = readScripts().filter(
  ({ name, stores, settings }) =>
    folders.includes(name.split('/')[0]!) && stores.includes('clickhouse') && settings.size === 0,
);

describe('a store of windows', { skip: engineMissing || notAsked }, () => {
  let engine: Engine;
  before(async () => {
    engine = await startEngine();
  });
  after(() => engine.stop());

  const run = (text: string) =>
    withClickHouse(engine.url, (clickhouse) => clickhouse.command({ text, params: {} }));

  /** While scripts run nothing is merged; before they ask again everything is. */
  const start: StartTarget = async (settings) => {
    const flags = new Map([
      ['store', engine.url],
      ['clickhouse-windows', 'write'],
      ['interrupted-after', '1h'],
      ...settings,
    ]);
    const args = [...flags].map(([name, value]) => `--${name}=${value}`);
    let service = await launchNode({ args }).ready;
    await run('SYSTEM STOP MERGES windows');
    return {
      get url() {
        return service.url;
      },
      adminToken,
      async restart(signal) {
        await service.stop(signal);
        await run('SYSTEM START MERGES windows');
        await run('OPTIMIZE TABLE windows FINAL');
        service = await launchNode({ args }).ready;
      },
      stop: () => service.stop(),
    };
  };

  testConformance(scripts, start);
});
