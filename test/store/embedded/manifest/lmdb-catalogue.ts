import { crc32 } from 'node:zlib';
import { open } from 'lmdb';
import { type Key, type TableName, tableNames } from '../../../../src/store/embedded/manifest/manifest.ts';

export type OldEntries = Partial<Record<TableName, readonly (readonly [Key, unknown])[]>>;

/** A value as releases that kept the catalogue in LMDB wrote it. */
export function oldValue(value: unknown): Buffer {
  const text = Buffer.from(JSON.stringify(value));
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32LE(crc32(text));
  return Buffer.concat([checksum, text]);
}

/** Writes the catalogue of such a release; `damaged` entries do not have their checksum. */
export async function writeLmdb(
  directory: string,
  entries: OldEntries,
  damaged: readonly (readonly [TableName, Key])[] = [],
): Promise<void> {
  const root = open({ path: directory, encoding: 'binary', maxDbs: tableNames.length });
  for (const name of tableNames) {
    const table = root.openDB<Buffer, Key>({ name, encoding: 'binary' });
    for (const [key, value] of entries[name] ?? []) {
      const bytes = oldValue(value);
      if (damaged.some(([other, one]) => other === name && one === key)) bytes[5]! ^= 1;
      await table.put(key, bytes);
    }
  }
  await root.close();
}
