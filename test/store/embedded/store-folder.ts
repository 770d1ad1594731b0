import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'node:test';
import {
  type EmbeddedStore,
  type EmbeddedStoreOptions,
  openEmbeddedStore,
} from '../../../src/store/embedded/store.ts';
import { until } from '../../until.ts';

/** A temporary folder for each test of a file, and the stores that are opened in it. */
export interface StoreFolder {
  readonly root: string;
  /** Where `open` opens a store; not there before the first time. */
  readonly directory: string;
  /** The time that stores are told, ms; each test begins at 1,000,000. */
  now: number;
  open(options?: Partial<EmbeddedStoreOptions>): Promise<EmbeddedStore>;
  /** Closes a store before the test ends; the others are closed behind it. */
  close(store: EmbeddedStore): Promise<void>;
  reopen(store: EmbeddedStore): Promise<EmbeddedStore>;
  /** The same, then waits for so many parts: a start moves what it finds in the log to parts. */
  reopenInParts(store: EmbeddedStore, parts: number): Promise<EmbeddedStore>;
}

/** To be called once, at the top of a file of tests. */
export function storeFolder(name: string): StoreFolder {
  let root = '';
  let opened: EmbeddedStore[] = [];
  const folder: StoreFolder = {
    get root() {
      return root;
    },
    get directory() {
      return join(root, 'data');
    },
    now: 0,
    async open(options = {}) {
      const store = await openEmbeddedStore({
        dataDir: folder.directory,
        headBytes: 256 * 1024,
        slabBytes: 64 * 1024,
        // Fewer than parts, so that files are closed and opened again on the way.
        maxFiles: 2,
        // So that a start finds rows in the log, as after a kill.
        sealOnCloseMs: 0,
        interruptedAfterMs: 60_000,
        clock: () => folder.now,
        log: { info() {}, warn() {}, error() {} },
        ...options,
      });
      opened.push(store);
      return store;
    },
    async close(store) {
      opened = opened.filter((other) => other !== store);
      await store.close();
    },
    async reopen(store) {
      await folder.close(store);
      return folder.open();
    },
    async reopenInParts(store, parts) {
      const again = await folder.reopen(store);
      await until(() => again.health().parts >= parts);
      return again;
    },
  };
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), `pitwall-${name}-`));
    folder.now = 1_000_000;
    opened = [];
  });
  afterEach(async () => {
    for (const store of opened) await store.close();
    rmSync(root, { recursive: true });
  });
  return folder;
}
