import { snapshotName } from '../manifest/catalog-files.ts';

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
 */
export const backupFormat = 2;

export const backupHead = 'backup.json';
export const catalogSnapshot = `catalog/${snapshotName(1)}`;
export const backupChecksums = 'checksums.json';

export interface BackupHead {
  readonly format: number;
  /** The version of the data directory's format (files/format-file.ts). */
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
  if (name === catalogSnapshot) return true;
  return /^(?:log\/segment-\d{12}\.log|parts\/\d{12}\.part)$/.test(name);
}

/** The length of `checksums.json` is known before the checksums are. */
export function encodeChecksums(checksums: ReadonlyMap<string, string>): Buffer {
  return Buffer.from(JSON.stringify(Object.fromEntries(checksums)));
}

export const checksumLength = 64;
