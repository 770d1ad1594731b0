import { after, before } from 'node:test';
import type { Selection } from '../../../src/query/plan/plan.ts';
import type { Store } from '../../../src/store/store.ts';
import { type Engine, startEngine } from '../../clickhouse/engine.ts';
import { openStore } from './open-store.ts';

/** All that a workspace has. */
export const everything: Selection = {
  workspace: 'w',
  streamIds: undefined,
  topic: undefined,
  from: -(2n ** 63n),
  to: 2n ** 63n - 1n,
  tagFilters: [],
};

/** An engine for the tests of a suite, and a database of its own for each that asks. To be called once, at the suite's top. */
export function engineDatabases(name: string) {
  let engine: Engine;
  let databases = 0;
  before(async () => {
    engine = await startEngine();
  });
  after(() => engine.stop());
  const fresh = (): string => engine.urlOf(`${name}_${++databases}`);
  return {
    /** The address of a new database. */
    fresh,
    /** Gives a store that writes windows, in a new database, and closes it behind. */
    async withStore(use: (store: Store, url: string) => Promise<void>): Promise<void> {
      const url = fresh();
      const store = await openStore(url);
      try {
        await use(store, url);
      } finally {
        await store.close();
      }
    },
  };
}
