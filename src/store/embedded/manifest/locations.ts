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
  return make(numbered(), new Map(tableNames.map((name) => [name, new Map<Key, number>()])));
}

function make(streams: Numbered, tables: ReadonlyMap<TableName, Map<Key, number>>): Locations {
  return {
    get: (table, key) =>
      table === 'streams' ? streams.get(key as number) : (tables.get(table)!.get(key) ?? 0),
    set(table, key, location) {
      if (table === 'streams') streams.set(key as number, location);
      else if (location === 0) tables.get(table)!.delete(key);
      else tables.get(table)!.set(key, location);
    },
    count: (table) => (table === 'streams' ? streams.count : tables.get(table)!.size),
    entries(table) {
      if (table === 'streams') return streams.entries();
      return [...tables.get(table)!].sort(([a], [b]) => (a < b ? -1 : 1));
    },
    copy: () => make(streams.copy(), new Map([...tables].map(([name, table]) => [name, new Map(table)]))),
  };
}

interface Numbered {
  get(number: number): number;
  set(number: number, location: number): void;
  readonly count: number;
  entries(): Iterable<readonly [number, number]>;
  copy(): Numbered;
}

/** Numbers of one piece. A copy shares the pieces until one of the two is written to. */
const pieceNumbers = 1 << 14;

function numbered(pieces: Float64Array[] = [], filled = 0): Numbered {
  let count = filled;
  const shared = new Set(pieces.keys());

  const get = (number: number) => pieces[Math.floor(number / pieceNumbers)]?.[number % pieceNumbers] ?? 0;

  function pieceAt(index: number): Float64Array {
    while (pieces.length <= index) pieces.push(new Float64Array(pieceNumbers));
    if (shared.delete(index)) pieces[index] = pieces[index]!.slice();
    return pieces[index]!;
  }

  return {
    get,
    set(number, location) {
      count += (location === 0 ? 0 : 1) - (get(number) === 0 ? 0 : 1);
      pieceAt(Math.floor(number / pieceNumbers))[number % pieceNumbers] = location;
    },
    get count() {
      return count;
    },
    *entries() {
      for (let number = 0; number < pieces.length * pieceNumbers; number++) {
        const location = get(number);
        if (location !== 0) yield [number, location];
      }
    },
    copy() {
      for (const index of pieces.keys()) shared.add(index);
      return numbered([...pieces], count);
    },
  };
}
