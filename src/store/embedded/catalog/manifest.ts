import { access, open as openFile } from 'node:fs/promises';
import { constants } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { ABORT, type Database, open, type RootDatabase, type Transaction } from 'lmdb';
import { isFull } from '../files/files.ts';
import { type CommitsEnded, commitQueue } from './commit-queue.ts';

/**
 * The manifest: an LMDB environment with what is small and has to change together: the parts that exist, the
 * catalogue, the tokens, and the LSN up to which all of that is true. Each value is the CRC-32 of its text (u32,
 * little endian), then the text, JSON in UTF-8. Only the main thread opens it.
 *
 * Two defaults of lmdb-js are off. `overlappingSync` shows a transaction before it is on disk, so that after a failed
 * sync memory, page cache and disk differ. `eventTurnBatching` has a promise that nobody holds: a failed commit rejects
 * it, which ends the process.
 *
 * Tables: `meta` (lsn, sequence, nextStream, nextTopic, clock), `workspaces` and `tokens` by name and
 * id, `topics`, `parameters`, `streams`, `parts` by number, `parameterDefinitions` and `eventDefinitions` by the
 * number of a list (definition-table.ts), `masks` by LSN (the tombstones: tombstone-table.ts).
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

export interface ManifestChange {
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
  /**
   * Applies all changes in one transaction; resolves when it is on disk, and nobody sees it before. Rejects with the
   * disk's error where it is full, and then none was applied; with CommitsEnded where it failed otherwise, for good.
   */
  commit(changes: readonly ManifestChange[]): Promise<void>;
  close(): Promise<void>;
}

/** A manifest that can be copied as it stands. */
export interface CopyableManifest extends Manifest {
  /** The state of the last commit, whatever is committed from now on. */
  snapshot(): ManifestSnapshot;
  /** Puts entries of a snapshot into this manifest; resolves when they are on disk. */
  restore(entries: readonly RawEntry[]): Promise<void>;
  /** Resolves when no commit is under way. */
  idle(): Promise<void>;
  /** Resolves with the cause once no commit is taken any more. */
  readonly ended: Promise<CommitsEnded>;
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

export async function openManifest(
  directory: string,
  options: { readOnly?: boolean } = {},
): Promise<CopyableManifest> {
  const readOnly = options.readOnly === true;
  if (!readOnly) await settleOverlaps(directory);
  const root: RootDatabase<Buffer, Key> = open({
    path: directory,
    encoding: 'binary',
    maxDbs: tableNames.length,
    readOnly,
    overlappingSync: false,
    eventTurnBatching: false,
  });
  const queue = commitQueue(() => assertUsable(root));
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
  /** One transaction of the changes that `change` makes. */
  const write = (change: () => Promise<boolean>[]): Promise<void> =>
    queue.commit(async () => {
      const committed = root.batch(() => {
        // Each change has a promise of its own; they fail together, and the batch's tells.
        for (const done of change()) done.catch(() => undefined);
      });
      await committed.catch(async (error: unknown) => {
        throw await causeOf(error, directory);
      });
    });

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
    restore: (copies) =>
      write(() => copies.map(({ table: name, key, bytes }) => table(name).put(key, bytes))),
    idle: queue.idle,
    ended: queue.ended,
    count: (name) => table(name).getCount(),
    commit: (changes) =>
      write(() =>
        changes.map(({ table: name, key, value }) =>
          value === undefined ? table(name).remove(key) : table(name).put(key, encode(value)),
        ),
      ),
    close: () => root.close(),
  };
}

/**
 * Releases before this one committed with overlapping syncs: after a power cut the newest transaction may not be whole,
 * and only an environment that is opened in that way goes back to the newest that is. After a killed process it is
 * whole, but may be in the page cache only.
 */
async function settleOverlaps(directory: string): Promise<void> {
  const path = join(directory, 'data.mdb');
  const isThere = await access(path).then(
    () => true,
    () => false,
  );
  if (!isThere) return;
  await open({
    path: directory,
    encoding: 'binary',
    maxDbs: tableNames.length,
    overlappingSync: true,
  }).close();
  const file = await openFile(path, 'r+');
  try {
    await file.datasync();
  } finally {
    await file.close();
  }
}

/** After some failures LMDB takes no transaction, and lmdb-js says so to nobody who waits for one. */
function assertUsable(root: RootDatabase<Buffer, Key>): void {
  root.transactionSync(() => ABORT);
}

/**
 * Why a transaction failed; LMDB says it in a promise of its own, and has numbers where Node has names. A write that
 * the disk took in part, because it is full now, is EIO to it.
 */
async function causeOf(error: unknown, directory: string): Promise<unknown> {
  const { commitError } = error as { commitError?: Promise<never> };
  const cause = await commitError?.catch((reason: unknown) => reason);
  const { message, code } = (cause ?? error) as { message: string; code?: number };
  const name = Object.entries(constants.errno).find(([, number]) => number === code)?.[0];
  if (name === 'EIO' && (await isFull(directory)))
    return Object.assign(new Error('the disk is full'), { code: 'ENOSPC' });
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
