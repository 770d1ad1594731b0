import { after, afterEach, before } from 'node:test';
import { connectClickHouse } from '../../../../src/store/clickhouse/server/client.ts';
import { type Engine, startEngine } from '../../../clickhouse/engine.ts';
import { type CatalogNode, openCatalogNode } from './catalog-node.ts';

/** An engine for a suite of tests, and nodes that are closed behind each test. */
export interface ScratchDatabase {
  /** Milliseconds since the Unix epoch, as nodes are told. */
  now: number;
  /** The address of a database of its own. */
  fresh(): Promise<string>;
  node(url: string): Promise<CatalogNode>;
}

export const interruptedAfterMs = 60_000;

/** To be called once, at the top of a suite that is skipped where there is no engine. */
export function scratchDatabase(): ScratchDatabase {
  let engine: Engine | undefined;
  let databases = 0;
  const nodes: CatalogNode[] = [];
  before(async () => {
    engine = await startEngine();
  });
  afterEach(async () => {
    for (const node of nodes.splice(0)) await node.close();
  });
  after(() => engine?.stop());

  const scratch: ScratchDatabase = {
    now: 1_800_000_000_000,
    async fresh() {
      const database = `scratch_${++databases}`;
      const clickhouse = connectClickHouse({ url: engine!.urlOf('default') });
      await clickhouse.command({ text: `CREATE DATABASE ${database}`, params: {} });
      await clickhouse.close();
      return engine!.urlOf(database);
    },
    async node(url) {
      const node = await openCatalogNode(url, interruptedAfterMs, () => scratch.now);
      nodes.push(node);
      return node;
    },
  };
  return scratch;
}
