import { type Key, type TableName, tableNames } from './manifest.ts';

/**
 * Where the newest version of each entry stands: 0 for none, otherwise a number that says file and position
 * (`placeOf`). Streams, of which there may be millions, take 8 bytes each outside the JavaScript heap.
 */
export interface Locations {
  get(table: TableName, key: Key): number;
  /** 0 removes it. */
  set(table: TableName, key: Key, location: number): void;
  count(table: TableName): number;
  /** Ascending, with what they were when the walk began. Streams may change meanwhile. */
  entries(table: TableName): Iterable<readonly [Key, number]>;
  copy(): Locations;
}

/** A file may be this long, and so many may be open at one time. */
const fileBytes = 2 ** 36;

export function locationOf(file: number, position: number): number {
  return file * fileBytes + position;
}

export function placeOf(location: number): { readonly file: number; readonly position: number } {
  return { file: Math.floor(location / fileBytes), position: location % fileBytes };
}

export function locations(): Locations {
  return make(new Float64Array(1024), 0, new Map(tableNames.map((name) => [name, new Map<Key, number>()])));
}

/** @param streamCount of `streams`, by number, how many are not 0 */
function make(
  streams: Float64Array,
  streamCount: number,
  tables: Map<TableName, Map<Key, number>>,
): Locations {
  let byNumber = streams;
  let count = streamCount;

  function setStream(number: number, location: number): void {
    if (number >= byNumber.length) {
      const grown = new Float64Array(Math.max(number + 1, Math.ceil(byNumber.length * 1.5)));
      grown.set(byNumber);
      byNumber = grown;
    }
    count += (location === 0 ? 0 : 1) - (byNumber[number] === 0 ? 0 : 1);
    byNumber[number] = location;
  }

  function* streamEntries(): Generator<readonly [number, number]> {
    for (let number = 0; number < byNumber.length; number++) {
      const location = byNumber[number]!;
      if (location !== 0) yield [number, location];
    }
  }

  return {
    get: (table, key) => (table === 'streams' ? byNumber[key as number] : tables.get(table)!.get(key)) ?? 0,
    set(table, key, location) {
      if (table === 'streams') setStream(key as number, location);
      else if (location === 0) tables.get(table)!.delete(key);
      else tables.get(table)!.set(key, location);
    },
    count: (table) => (table === 'streams' ? count : tables.get(table)!.size),
    entries(table) {
      if (table === 'streams') return streamEntries();
      return [...tables.get(table)!].sort(([a], [b]) => (a < b ? -1 : 1));
    },
    copy: () =>
      make(byNumber.slice(), count, new Map([...tables].map(([name, table]) => [name, new Map(table)]))),
  };
}
