import { unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { FilePool } from './file-pool.ts';
import type { PartCache } from './part-cache.ts';
import { openPartFile } from './part-file.ts';
import type { PartIndex } from './part-index.ts';
import { type Part, type PartReaders, partReaders } from './part-readers.ts';
import type { PartRecord } from './part-record.ts';

/** The parts that exist now. The list is replaced, never changed, so a snapshot is a reference to it. */
export interface PartSet {
  readonly all: readonly Part[];
  /** Readers of `all`, and of the parts that somebody holds. */
  readonly readers: PartReaders;
  /** Puts `added` in the place of `removed`, at once; files of removed parts go when nobody reads them. */
  replace(removed: ReadonlySet<number>, added: readonly PartRecord[]): void;
  /** Holds the parts that exist now, in one step however many they are, until the function that it gives is called. */
  hold(): () => void;
  /** Holds some parts; `unpin` lets go of them, together or one by one. */
  pin(parts: readonly Part[]): void;
  unpin(parts: readonly Part[]): void;
  /** Has `listener` called with each part that nobody holds any more, as its file goes. */
  whenGone(listener: (part: Part) => void): void;
  /** The index of a part, which is not held where nobody has read from the part yet. */
  readIndex(part: Part): Promise<PartIndex>;
  /** Closes all files. */
  close(): Promise<void>;
}

export function partName(number: number): string {
  return `${String(number).padStart(12, '0')}.part`;
}

/** A list that was or is `all`; each pins its parts for as long as it has holders. */
interface PartList {
  readonly parts: readonly Part[];
  holders: number;
}

/** @param files has the files of parts open for reads; a part's name stays for as long as a snapshot reads from it */
export function partSet(
  directory: string,
  records: readonly PartRecord[],
  cache: PartCache,
  files: FilePool,
): PartSet {
  const readers = partReaders(cache, files);
  /** By the number of the part. */
  const pins = new Map<number, number>();
  const listeners: ((part: Part) => void)[] = [];
  let current = listOf(records.map(toPart));

  function toPart(record: PartRecord): Part {
    return { record, path: join(directory, partName(record.number)) };
  }

  function listOf(parts: Part[]): PartList {
    pin(parts);
    return { parts: inLsnOrder(parts), holders: 1 };
  }

  function letGo(list: PartList): void {
    if (--list.holders === 0) unpin(list.parts);
  }

  function pin(parts: readonly Part[]): void {
    for (const { record } of parts) pins.set(record.number, (pins.get(record.number) ?? 0) + 1);
  }

  function unpin(parts: readonly Part[]): void {
    for (const part of parts) {
      const { number } = part.record;
      const left = pins.get(number)! - 1;
      if (left > 0) {
        pins.set(number, left);
        continue;
      }
      pins.delete(number);
      readers.close(part).catch(() => undefined);
      for (const tell of listeners) tell(part);
      unlink(part.path).catch(() => undefined);
    }
  }

  return {
    get all() {
      return current.parts;
    },
    readers,
    replace(removed, added) {
      const before = current;
      const kept = before.parts.filter(({ record }) => !removed.has(record.number));
      current = listOf([...kept, ...added.map(toPart)]);
      letGo(before);
    },
    hold() {
      const held = current;
      held.holders++;
      return () => letGo(held);
    },
    pin,
    unpin,
    whenGone: (listener) => listeners.push(listener),
    async readIndex(part) {
      const opened = readers.opened(part);
      if (opened !== undefined) return opened.readIndex();
      const { reader, close } = await openPartFile(part.path, { files });
      try {
        return await reader.readIndex();
      } finally {
        await close();
      }
    },
    async close() {
      for (const part of current.parts) await readers.close(part);
    },
  };
}

/** Sorts parts as a part set and its snapshots have them. */
export function inLsnOrder(parts: Part[]): Part[] {
  return parts.sort((a, b) => a.record.firstLsn - b.record.firstLsn || a.record.number - b.record.number);
}
