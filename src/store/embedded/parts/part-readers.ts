import type { FilePool } from './file-pool.ts';
import type { PartCache } from './part-cache.ts';
import { type OpenPart, openPartFile } from './part-file.ts';
import type { PartReader } from './part-reader.ts';
import type { PartRecord } from './part-record.ts';

/** A part file. It can be sent to a thread. */
export interface Part {
  readonly record: PartRecord;
  readonly path: string;
}

/** The parts that a thread has open: each from its first use on. */
export interface PartReaders {
  open(part: Part): Promise<PartReader>;
  /** Returns the reader of a part where it is open by now. */
  opened(part: Part): PartReader | undefined;
}

/** Readers of parts that close what they opened. */
export interface OwnPartReaders extends PartReaders {
  /** There is no use of the part from now on. */
  close(part: Part): Promise<void>;
}

interface Entry {
  readonly opening: Promise<OpenPart>;
  ready: OpenPart | undefined;
}

/** @param files has the files open for reads; a part's name stays for as long as somebody reads from it */
export function partReaders(cache: PartCache, files: FilePool): OwnPartReaders {
  /** By the number of the part. */
  const entries = new Map<number, Entry>();

  function begin({ record: { number }, path }: Part): Entry {
    const opening = openPartFile(path, { cache: cache.ofPart(), indexes: cache.indexes, files });
    const entry: Entry = { opening, ready: undefined };
    entries.set(number, entry);
    opening.then(
      (open) => {
        entry.ready = open;
      },
      () => {
        if (entries.get(number) === entry) entries.delete(number);
      },
    );
    return entry;
  }

  return {
    async open(part) {
      const entry = entries.get(part.record.number) ?? begin(part);
      return (entry.ready ?? (await entry.opening)).reader;
    },
    opened: ({ record }) => entries.get(record.number)?.ready?.reader,
    async close({ record }) {
      const entry = entries.get(record.number);
      entries.delete(record.number);
      await entry?.opening.then((open) => open.close()).catch(() => undefined);
    },
  };
}
