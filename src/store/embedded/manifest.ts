import { constants } from 'node:os';
import { crc32 } from 'node:zlib';
import { type Database, open, type RootDatabase } from 'lmdb';

/**
 * The manifest: an LMDB environment with what is small and has to change together: the parts that exist, the
 * catalogue, the tokens, and the LSN up to which all of that is true. Each value is the CRC-32 of its text (u32,
 * little endian), then the text, JSON in UTF-8. Only the main thread opens it.
 *
 * Tables: `meta` (lsn, sequence, nextStream, nextTopic), `workspaces` and `tokens` by name and
 * id, `topics`, `parameters`, `streams`, `parts` by number, `parameterDefinitions` and `eventDefinitions` by the
 * number of a list (definition-table.ts).
 */
export const tableNames = [
  'meta',
  'workspaces',
  'tokens',
  'topics',
  'parameters',
  'parameterDefinitions',
  'eventDefinitions',
  'streams',
  'parts',
] as const;
export type TableName = (typeof tableNames)[number];
export type Key = string | number;

export interface Change {
  readonly table: TableName;
  readonly key: Key;
  /** A value for JSON, or undefined to remove the entry. */
  readonly value: unknown;
}

export interface Manifest {
  read(table: TableName, key: Key): unknown;
  /** Every intact entry; damaged ones go to `onDamage`. */
  entries(table: TableName, onDamage: (key: Key) => void): Iterable<{ key: Key; value: unknown }>;
  count(table: TableName): number;
  /** Applies all changes in one transaction; resolves when it is on disk. When it rejects, none was applied. */
  commit(changes: readonly Change[]): Promise<void>;
  close(): Promise<void>;
}

export function openManifest(directory: string, options: { readOnly?: boolean } = {}): Manifest {
  const root: RootDatabase<Buffer, Key> = open({
    path: directory,
    encoding: 'binary',
    maxDbs: tableNames.length,
    readOnly: options.readOnly === true,
  });
  const tables = new Map<TableName, Database<Buffer, Key>>();
  for (const name of tableNames) tables.set(name, root.openDB<Buffer, Key>({ name, encoding: 'binary' }));
  const table = (name: TableName) => tables.get(name)!;

  return {
    read(name, key) {
      const bytes = table(name).get(key);
      if (bytes === undefined) return undefined;
      const value = decode(bytes);
      if (value === undefined) throw new Error(`the catalogue's entry ${name}/${key} is damaged`);
      return value.value;
    },
    *entries(name, onDamage) {
      // Opened to be read only, a folder of an earlier version does not get the tables that it lacks.
      for (const { key, value } of tables.get(name)?.getRange({ snapshot: true }) ?? []) {
        const decoded = decode(value);
        if (decoded === undefined) onDamage(key);
        else yield { key, value: decoded.value };
      }
    },
    count: (name) => table(name).getCount(),
    async commit(changes) {
      const committed = root.batch(() => {
        for (const { table: name, key, value } of changes) {
          const target = table(name);
          const done = value === undefined ? target.remove(key) : target.put(key, encode(value));
          // Each change has a promise of its own; they fail together, and the batch's tells.
          done.catch(() => undefined);
        }
      });
      await committed.catch(async (error: unknown) => {
        throw await causeOf(error);
      });
      await root.flushed;
    },
    close: () => root.close(),
  };
}

/** Why a transaction failed; LMDB says it in a promise of its own, and has numbers where Node has names. */
async function causeOf(error: unknown): Promise<unknown> {
  const { commitError } = error as { commitError?: Promise<never> };
  const cause = await commitError?.catch((reason: unknown) => reason);
  const { message, code } = (cause ?? error) as { message: string; code?: number };
  const name = Object.entries(constants.errno).find(([, number]) => number === code)?.[0];
  return Object.assign(new Error(message), { code: name ?? code });
}

function encode(value: unknown): Buffer {
  const text = JSON.stringify(value);
  const bytes = Buffer.allocUnsafe(4 + Buffer.byteLength(text));
  bytes.write(text, 4);
  bytes.writeUInt32LE(crc32(bytes.subarray(4)), 0);
  return bytes;
}

function decode(bytes: Buffer): { value: unknown } | undefined {
  if (bytes.length < 4 || bytes.readUInt32LE(0) !== crc32(bytes.subarray(4))) return undefined;
  return { value: JSON.parse(bytes.toString('utf8', 4)) as unknown };
}
