import { open as openFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Database, open } from 'lmdb';
import { lmdbChange } from './lmdb-entries.ts';
import { type Key, type ManifestChange, type TableName, tableNames } from './manifest.ts';

/**
 * The catalogue of releases that kept it in LMDB, for the first start of this one. A table of LMDB for each of the
 * manifest; a value is the CRC-32 of its text (u32, little endian), then the text, JSON in UTF-8.
 */
export interface LmdbFolder {
  /** Every intact entry, by table. To be walked once. */
  changes(): Generator<ManifestChange>;
  /** Entries that are not what was written; known when the walk is over. */
  readonly damages: readonly { readonly table: TableName; readonly key: Key }[];
  close(): Promise<void>;
}

/** @param settle whether files may be written to, so that the newest transaction that is whole counts, for good */
export async function readLmdb(directory: string, { settle }: { settle: boolean }): Promise<LmdbFolder> {
  const options = { path: directory, encoding: 'binary', maxDbs: tableNames.length } as const;
  if (settle) {
    // Some committed with overlapping syncs: after a power cut only an environment that is opened in that way goes back to
    // a whole transaction, and after a kill the newest may be in memory only.
    await open({ ...options, overlappingSync: true }).close();
    const file = await openFile(join(directory, 'data.mdb'), 'r+');
    try {
      await file.datasync();
    } finally {
      await file.close();
    }
  }
  const root = open<Buffer, Key>({ ...options, readOnly: true });
  const damages: { table: TableName; key: Key }[] = [];
  return {
    damages,
    *changes() {
      for (const table of tableNames) {
        // Tables that an earlier version did not have are not there.
        const entries = root.openDB<Buffer, Key>({ name: table, encoding: 'binary' }) as
          | Database<Buffer, Key>
          | undefined;
        for (const { key, value } of entries?.getRange({ snapshot: true }) ?? []) {
          const change = lmdbChange(table, key, value);
          if (change === undefined) damages.push({ table, key });
          else yield change;
        }
      }
    },
    close: () => root.close(),
  };
}
