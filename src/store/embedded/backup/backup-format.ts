import { snapshotName } from '../manifest/catalog-files.ts';
import type { Key, TableName } from '../manifest/manifest.ts';

/**
 * A backup: a tar archive of one consistent state, in this order.
 *
 *   backup.json        JSON `{"format": 2, "dataFormat": 2, "createdAt": ISO 8601, "files": [{"name", "size"}, …]}`:
 *                      every file that follows, but for the last
 *   catalog/snapshot-000000000001   all entries of the manifest (manifest/snapshot-writer.ts)
 *   log/segment-….log  records that were not in parts yet, from the first byte of their segment on
 *   parts/….part       as they are
 *   checksums.json     JSON `{"<name>": "<SHA-256 in hex>", …}` of every file before it. Only a backup that is whole
 *                      has it.
 *
 * In format 1 the manifest is `catalog.entries`: the entries one after another: u32 length of the key, u32 length of the
 * value, the key as JSON `[table, key]`, the value as it stood in LMDB (manifest/lmdb-entries.ts).
 */
export const backupFormat = 2;

export const backupHead = 'backup.json';
export const catalogSnapshot = `catalog/${snapshotName(1)}`;
export const catalogEntries = 'catalog.entries';
export const backupChecksums = 'checksums.json';

export interface BackupHead {
  readonly format: number;
  /** The version of the data directory's format (directory.ts). */
  readonly dataFormat: number;
  readonly createdAt: string;
  readonly files: readonly BackupFile[];
}

export interface BackupFile {
  readonly name: string;
  /** In bytes. */
  readonly size: number;
}

/** Whether a backup may hold a file of this name, and so whether a restore may write it. */
export function isBackupFile(name: string): boolean {
  if (name === catalogEntries || name === catalogSnapshot) return true;
  return /^(?:log\/segment-\d{12}\.log|parts\/\d{12}\.part)$/.test(name);
}

/** The length of `checksums.json` is known before the checksums are. */
export function encodeChecksums(checksums: ReadonlyMap<string, string>): Buffer {
  return Buffer.from(JSON.stringify(Object.fromEntries(checksums)));
}

export const checksumLength = 64;

const frameBytes = 8;

export interface OldEntry {
  readonly table: TableName;
  readonly key: Key;
  readonly bytes: Buffer;
}

/** Takes the bytes of `catalog.entries` as they come and gives the entries that are whole. */
export function entryReader(): { take(chunk: Uint8Array): OldEntry[]; readonly isAtEnd: boolean } {
  let rest = Buffer.alloc(0);
  return {
    take(chunk) {
      const bytes = Buffer.concat([rest, chunk]);
      const entries: OldEntry[] = [];
      let at = 0;
      while (at + frameBytes <= bytes.length) {
        const nameEnd = at + frameBytes + bytes.readUInt32LE(at);
        const end = nameEnd + bytes.readUInt32LE(at + 4);
        if (end > bytes.length) break;
        const [table, key] = JSON.parse(bytes.toString('utf8', at + frameBytes, nameEnd)) as [TableName, Key];
        entries.push({ table, key, bytes: bytes.subarray(nameEnd, end) });
        at = end;
      }
      rest = bytes.subarray(at);
      return entries;
    },
    get isAtEnd() {
      return rest.length === 0;
    },
  };
}
