/**
 * Where the sections of rows stand in a slab, and a chain through those of each stream. All of it is in shared memory,
 * so that a snapshot can refer to it from any thread; only one thread adds to it. An index that is full is replaced by
 * a larger one: who holds the earlier one still finds in it what it had.
 */
export interface HeadIndex {
  /** The position of each section, in LSN order. */
  readonly sections: Uint32Array;
  /** The record that each section stands in. */
  readonly lsns: Float64Array;
  /** Index of the previous section of the same stream, -1 for its first. */
  readonly previous: Int32Array;
  /** A hash table of streams: their numbers (0: a free place), and beside each the index of its latest section. */
  readonly latest: Uint32Array;
}

const firstSections = 256;
const firstStreams = 128;

export function headIndex(): HeadIndex {
  return {
    sections: sharedU32(firstSections),
    lsns: new Float64Array(new SharedArrayBuffer(8 * firstSections)),
    previous: new Int32Array(new SharedArrayBuffer(4 * firstSections)),
    latest: sharedU32(4 * firstStreams),
  };
}

function sharedU32(length: number): Uint32Array {
  return new Uint32Array(new SharedArrayBuffer(4 * length));
}

/**
 * The same index with room for twice as many sections. It has a table of streams of its own: the earlier one must never
 * name a section that the arrays beside it have no place for.
 */
export function withMoreSections({ sections, lsns, previous, latest }: HeadIndex): HeadIndex {
  const length = 2 * sections.length;
  const larger: HeadIndex = {
    sections: sharedU32(length),
    lsns: new Float64Array(new SharedArrayBuffer(8 * length)),
    previous: new Int32Array(new SharedArrayBuffer(4 * length)),
    latest: sharedU32(latest.length),
  };
  larger.sections.set(sections);
  larger.lsns.set(lsns);
  larger.previous.set(previous);
  larger.latest.set(latest);
  return larger;
}

/** The same index with room for twice as many streams. */
export function withMoreStreams({ sections, lsns, previous, latest }: HeadIndex): HeadIndex {
  const larger = sharedU32(2 * latest.length);
  for (let place = 0; place < latest.length; place += 2) {
    const stream = latest[place]!;
    if (stream === 0) continue;
    const to = placeOf(larger, stream);
    larger[to] = stream;
    larger[to + 1] = latest[place + 1]!;
  }
  return { sections, lsns, previous, latest: larger };
}

/** Whether the table of streams should be larger before one more of `streams` comes. */
export function isCrowded({ latest }: HeadIndex, streams: number): boolean {
  return 4 * (streams + 1) > latest.length;
}

/** Where a stream stands in the table, or the free place where it would. */
export function placeOf(latest: Uint32Array, stream: number): number {
  const last = latest.length - 2;
  let place = (Math.imul(stream, 0x9e3779b1) >>> 7) & last;
  while (latest[place] !== stream && latest[place] !== 0) place = (place + 2) & last;
  return place;
}

/** Index of a stream's latest section, -1 where it has none. */
export function latestOf({ latest }: HeadIndex, stream: number): number {
  const place = placeOf(latest, stream);
  return latest[place] === 0 ? -1 : Atomics.load(latest, place + 1);
}
