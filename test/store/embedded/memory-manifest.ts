import {
  type Key,
  type Manifest,
  type ManifestChange,
  type TableName,
  tableNames,
} from '../../../src/store/embedded/manifest/manifest.ts';
import type { StreamEntry } from '../../../src/store/embedded/manifest/stream-entry.ts';

export interface MemoryManifest extends Manifest {
  readonly tables: Map<TableName, Map<Key, unknown>>;
  /** How many more changes are written before the power fails. */
  changesLeft: number;
  /** Runs before each transaction. */
  before: () => void;
}

/** A manifest that may stop after any single change, which is harsher than the real one's transactions. */
export function memoryManifest(): MemoryManifest {
  const tables = new Map(tableNames.map((name) => [name, new Map<Key, unknown>()]));
  return {
    tables,
    changesLeft: Number.POSITIVE_INFINITY,
    before() {},
    read: (name, key) => tables.get(name)!.get(key),
    *entries(name) {
      for (const [key, value] of tables.get(name)!) yield { key, value };
    },
    readStreams(visit) {
      for (const [key, value] of tables.get('streams')!) visit(Number(key), value as StreamEntry);
    },
    count: (name) => tables.get(name)!.size,
    async commit(changes: readonly ManifestChange[]) {
      this.before();
      for (const { table, key, value } of changes) {
        if (this.changesLeft-- <= 0) throw new Error('the power failed');
        if (value === undefined) tables.get(table)!.delete(key);
        else tables.get(table)!.set(key, structuredClone(value));
      }
    },
    async close() {},
  };
}
