import { constants } from 'node:os';
import { crc32 } from 'node:zlib';
import { type Database, open, type RootDatabase, type Transaction } from 'lmdb';

/**
 * The manifest: an LMDB environment with what is small and has to change together: the parts that exist, the
 * catalogue, the tokens, and the LSN up to which all of that is true. Each value is the CRC-32 of its text (u32,
 * little endian), then the text, JSON in UTF-8. Only the main thread opens it.
 *
 * Tables: `meta` (lsn, sequence, nextStream, nextTopic, clock), `workspaces` and `tokens` by name and
 * id, `topics`, `parameters`, `streams`, `parts` by number, `parameterDefinitions` and `eventDefinitions` by the
 * number of a list (definition-table.ts), `masks` by LSN (mask-table.ts).
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
  'masks',
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

/** A manifest that can be copied as it stands. */
export interface CopyableManifest extends Manifest {
  /** The state of the last commit, also one whose way to the disk is not over, whatever is committed from now on. */
  snapshot(): ManifestSnapshot;
  /** Puts entries of a snapshot into this manifest; resolves when they are on disk. */
  restore(entries: readonly RawEntry[]): Promise<void>;
  /** Resolves when all that is committed so far is on disk. */
  flushed(): Promise<void>;
}

/** Holds on to pages that LMDB would use again: to be released soon. */
export interface ManifestSnapshot {
  read(table: TableName, key: Key): unknown;
  entries(table: TableName, onDamage: (key: Key) => void): Iterable<{ key: Key; value: unknown }>;
  /** All entries of all tables as they are stored, damaged ones too. The bytes are valid until the next is asked for. */
  raw(): Iterable<RawEntry>;
  release(): void;
}

export interface RawEntry {
  readonly table: TableName;
  readonly key: Key;
  readonly bytes: Buffer;
}

export function openManifest(directory: string, options: { readOnly?: boolean } = {}): CopyableManifest {
  const root: RootDatabase<Buffer, Key> = open({
    path: directory,
    encoding: 'binary',
    maxDbs: tableNames.length,
    readOnly: options.readOnly === true,
  });
  const tables = new Map<TableName, Database<Buffer, Key>>();
  for (const name of tableNames) tables.set(name, root.openDB<Buffer, Key>({ name, encoding: 'binary' }));
  const table = (name: TableName) => tables.get(name)!;
  const read = (name: TableName, key: Key, transaction?: Transaction): unknown => {
    const bytes = table(name).get(key, transaction && { transaction });
    if (bytes === undefined) return undefined;
    const value = decode(bytes);
    if (value === undefined) throw new Error(`the catalogue's entry ${name}/${key} is damaged`);
    return value.value;
  };
  const entries = function* (name: TableName, onDamage: (key: Key) => void, transaction?: Transaction) {
    // Opened to be read only, a folder of an earlier version does not get the tables that it lacks.
    for (const { key, value } of tables
      .get(name)
      ?.getRange(transaction ? { transaction } : { snapshot: true }) ?? []) {
      const decoded = decode(value);
      if (decoded === undefined) onDamage(key);
      else yield { key, value: decoded.value };
    }
  };

  return {
    read: (name, key) => read(name, key),
    entries: (name, onDamage) => entries(name, onDamage),
    snapshot() {
      // Reads of the same turn may have left a transaction that is older than the last commit.
      root.resetReadTxn();
      const transaction = root.useReadTransaction();
      let held = true;
      return {
        read: (name, key) => read(name, key, transaction),
        entries: (name, onDamage) => entries(name, onDamage, transaction),
        *raw() {
          for (const name of tableNames) {
            for (const { key, value } of table(name).getRange({ transaction }))
              yield { table: name, key, bytes: value };
          }
        },
        release() {
          if (held) transaction.done();
          held = false;
        },
      };
    },
    async restore(copies) {
      await root.batch(() => {
        for (const { table: name, key, bytes } of copies)
          table(name)
            .put(key, bytes)
            .catch(() => undefined);
      });
      await root.flushed;
    },
    flushed: async () => {
      await root.flushed;
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
