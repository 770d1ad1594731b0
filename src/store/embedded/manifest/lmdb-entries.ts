import { crc32 } from 'node:zlib';
import type { Key, ManifestChange, TableName } from './manifest.ts';
import type { StreamEntry } from './stream-entry.ts';

/** An entry as it stood in LMDB, and stands in backups of those releases; undefined where it is damaged. */
export function lmdbChange(table: TableName, key: Key, bytes: Buffer): ManifestChange | undefined {
  if (bytes.length < 4 || bytes.readUInt32LE(0) !== crc32(bytes.subarray(4))) return undefined;
  const value: unknown = JSON.parse(bytes.toString('utf8', 4));
  return { table, key, value: table === 'streams' ? streamOf(value as OldStream) : value };
}

/** What is told of an entry that is damaged. */
export function lostEntry(table: TableName, key: Key): string {
  return `the entry ${table}/${key} does not have its checksum`;
}

/** Data bounds were digits. */
interface OldStream extends Omit<StreamEntry, 'data'> {
  readonly data?: readonly [start: string, end: string];
}

function streamOf({ data, ...rest }: OldStream): StreamEntry {
  return data === undefined ? rest : { ...rest, data: [BigInt(data[0]), BigInt(data[1])] };
}
