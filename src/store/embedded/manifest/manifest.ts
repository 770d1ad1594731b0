import type { CommitsEnded } from './commit-queue.ts';
import type { StreamEntry } from './stream-entry.ts';

/**
 * The manifest: what is small and has to change together: the parts that exist, the catalogue, the tokens, and the
 * LSN up to which all of that is true. It is a snapshot of all entries and the edits since (catalog-files.ts). Only the
 * main thread opens it.
 *
 * Tables: `meta` (lsn, syncedLsn, sequence, nextStream, nextTopic, nextParameter, clock, damage), `workspaces` and
 * `tokens` by name and id, `kept` documents by the text of their name (domain/document.ts), `topics`, `parameters`, `streams`, `parts` by number, `parameterDefinitions` and
 * `eventDefinitions` by the number of a list (definition-table.ts), `masks` by LSN (the tombstones:
 * tombstone-table.ts). Their places in this list stand in the files.
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
  'kept',
] as const;
export type TableName = (typeof tableNames)[number];
/** Text in `meta`, `workspaces`, `tokens` and `kept`, a whole number in the others. */
export type Key = string | number;

export interface Entry {
  readonly key: Key;
  readonly value: unknown;
}

export interface ManifestChange extends Entry {
  readonly table: TableName;
  /** A StreamEntry in `streams`, otherwise a value for JSON; undefined to remove the entry. */
  readonly value: unknown;
}

/** Reading a manifest, or one moment of it. */
export interface ManifestReader {
  /** Throws DamagedError where the stored bytes are not what was written. */
  read(table: TableName, key: Key): unknown;
  /** Every entry by key. Throws as `read` does. */
  entries(table: TableName): Iterable<Entry>;
  /** Every stream, in the order of the files: the way to read a million. Throws as `read` does. */
  readStreams(visit: (stream: number, entry: StreamEntry) => void): void;
}

export interface Manifest extends ManifestReader {
  count(table: TableName): number;
  /**
   * Applies all changes together; resolves when they are on disk, and nobody sees them before. Rejects with the
   * disk's error where it is full, and then none was applied; with CommitsEnded where it failed otherwise, for good.
   */
  commit(changes: readonly ManifestChange[]): Promise<void>;
  close(): Promise<void>;
}

/** A manifest that can be copied as it stands. */
export interface CopyableManifest extends Manifest {
  /** The state of the last commit, whatever is committed from now on. */
  snapshot(): ManifestSnapshot;
  /** Resolves when no commit is under way. */
  idle(): Promise<void>;
  /** Resolves with the cause once no commit is taken any more. */
  readonly ended: Promise<CommitsEnded>;
}

/** Holds on to files that the manifest may have replaced: to be released soon. */
export interface ManifestSnapshot extends ManifestReader {
  /** The bytes of a file that holds just these entries (snapshot-writer.ts). Yields the thread now and then. */
  bytes(): AsyncGenerator<Buffer>;
  release(): void;
}

/**
 * `meta/damage`: what the manifest has lost, for good. It is told at every start. While it is not `settled`, what is
 * known from elsewhere has not been put in its place: parts that no entry names, and numbers that stay taken.
 */
export interface LostEntries {
  readonly told: readonly string[];
  readonly settled: boolean;
  /** Numbers of streams that may have stood there, from and to, both inclusive. */
  readonly streams?: readonly (readonly [from: number, to: number])[];
  /** Numbers of files that may be parts of which the entries are lost, and are damaged: they are kept. */
  readonly parts?: readonly number[];
}

export function lostEntries(manifest: Pick<ManifestReader, 'read'>): LostEntries | undefined {
  return manifest.read('meta', 'damage') as LostEntries | undefined;
}
