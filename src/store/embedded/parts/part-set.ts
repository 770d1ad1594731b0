import { unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { FilePool } from './file-pool.ts';
import type { PartCache } from './part-cache.ts';
import { type OpenPart, openPartFile } from './part-file.ts';
import type { PartIndex } from './part-index.ts';
import type { PartRecord } from './part-record.ts';

/** A part, and what was read of it: its footer, and once it was needed its index. */
export interface Part {
  readonly record: PartRecord;
  readonly path: string;
  /** Snapshots that read from it, plus one while it belongs to the set. */
  pins: number;
  opened: Promise<OpenPart> | undefined;
  /** What `opened` resolved with. */
  ready: OpenPart | undefined;
}

/** The parts that exist now. The list is replaced, never changed, so a snapshot is a reference to it. */
export interface PartSet {
  readonly all: readonly Part[];
  /** Puts `added` in the place of `removed`, at once; files of removed parts go when nobody reads them. */
  replace(removed: ReadonlySet<number>, added: readonly PartRecord[]): void;
  pin(parts: readonly Part[]): void;
  unpin(parts: readonly Part[]): void;
  open(part: Part): Promise<OpenPart>;
  /** The index of a part, which is not held where nobody has read from the part yet. */
  readIndex(part: Part): Promise<PartIndex>;
  /** Closes all files. */
  close(): Promise<void>;
}

export function partName(number: number): string {
  return `${String(number).padStart(12, '0')}.part`;
}

/** @param files has the files of parts open for reads; a part's name stays for as long as a snapshot reads from it */
export function partSet(
  directory: string,
  records: readonly PartRecord[],
  cache: PartCache,
  files: FilePool,
): PartSet {
  const toPart = (record: PartRecord): Part => ({
    record,
    path: join(directory, partName(record.number)),
    pins: 1,
    opened: undefined,
    ready: undefined,
  });
  let all: readonly Part[] = inLsnOrder(records.map(toPart));

  const release = (part: Part) => {
    if (--part.pins > 0) return;
    part.opened?.then((open) => open.close()).catch(() => undefined);
    unlink(part.path).catch(() => undefined);
  };

  return {
    get all() {
      return all;
    },
    replace(removed, added) {
      const gone = all.filter((part) => removed.has(part.record.number));
      all = inLsnOrder([...all.filter((part) => !removed.has(part.record.number)), ...added.map(toPart)]);
      for (const part of gone) release(part);
    },
    pin(parts) {
      for (const part of parts) part.pins++;
    },
    unpin(parts) {
      for (const part of parts) release(part);
    },
    open(part) {
      part.opened ??= openPartFile(part.path, { cache: cache.ofPart(), files }).then(
        (open) => {
          part.ready = open;
          return open;
        },
        (error: unknown) => {
          part.opened = undefined;
          throw error;
        },
      );
      return part.opened;
    },
    async readIndex({ path, opened }) {
      if (opened !== undefined) return (await opened).reader.readIndex();
      const { reader, close } = await openPartFile(path, { files });
      try {
        return await reader.readIndex();
      } finally {
        await close();
      }
    },
    async close() {
      for (const part of all) await part.opened?.then((open) => open.close()).catch(() => undefined);
    },
  };
}

function inLsnOrder(parts: Part[]): Part[] {
  return parts.sort((a, b) => a.record.firstLsn - b.record.firstLsn || a.record.number - b.record.number);
}
