import { DamagedError } from '../files/damage.ts';
import type { CatalogFile } from './catalog-files.ts';
import { entryAt, type StoredEntry, storedValue, walkEntries } from './entries.ts';
import { frameHeaderBytes, readFrame } from './frames.ts';
import { type Locations, locationOf, placeOf } from './locations.ts';
import { type Entry, type Key, type ManifestReader, type TableName, tableNames } from './manifest.ts';
import { decodeStream, type StreamEntry } from './stream-entry.ts';

/** The entries that locations say, read from their files. */
export interface ManifestView extends ManifestReader {
  readonly locations: Locations;
  /** From the oldest to the newest. */
  readonly files: readonly CatalogFile[];
  /** All entries by table and key, with the bytes that they are stored as. */
  stored(): Iterable<EncodedEntry>;
}

export interface EncodedEntry {
  readonly table: TableName;
  readonly key: Key;
  readonly bytes: Buffer;
}

export function manifestView(locations: Locations, files: readonly CatalogFile[]): ManifestView {
  const bySlot = new Map(files.map((file) => [file.slot, file]));

  function find(location: number): { entry: StoredEntry; body: Buffer } {
    const { file: slot, position } = placeOf(location);
    const { at, body } = bySlot.get(slot)!.frameAt(position);
    return { entry: entryAt(body, position - at - frameHeaderBytes), body };
  }

  function readStreams(visit: (stream: number, entry: StreamEntry) => void): void {
    for (const file of files) {
      const size = file.size();
      for (const start of file.streamFrames) {
        const frame = readFrame(file.peek, start, size, file.number);
        if (frame === undefined || !('body' in frame))
          throw new DamagedError(file.path, start, start, 'entries do not have their checksum');
        const first = locationOf(file.slot, start + frameHeaderBytes);
        walkEntries(frame.body, (stream, at, reader) => {
          if (locations.get('streams', stream) === first + at) visit(stream, decodeStream(reader));
        });
      }
    }
  }

  function* entries(table: TableName): Generator<Entry> {
    for (const [key, location] of locations.entries(table)) {
      const { entry, body } = find(location);
      yield { key, value: storedValue(body, entry) };
    }
  }

  return {
    locations,
    files,
    read(table, key) {
      const location = locations.get(table, key);
      if (location === 0) return undefined;
      const { entry, body } = find(location);
      return storedValue(body, entry);
    },
    entries,
    readStreams,
    *stored() {
      for (const table of tableNames) {
        for (const [key, location] of locations.entries(table)) {
          const { entry, body } = find(location);
          yield { table, key, bytes: body.subarray(entry.start, entry.end) };
        }
      }
    },
  };
}
