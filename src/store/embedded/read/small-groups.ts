import type { Pace } from '../../../turns/pace.ts';
import { DamagedError } from '../files/damage.ts';
import { lowerBound } from '../parts/column-sets.ts';
import type { PartFile } from '../parts/part-bytes.ts';
import { positionOf, runStart } from '../parts/part-index.ts';
import type { OffsetRange } from '../rows/windows.ts';
import { type IndexedPart, readable } from '../walk/indexed-parts.ts';

/**
 * A row group that is read with its neighbours has so few rows, which is below those from which on columns have
 * statistics, and so few bytes.
 */
export const smallRows = 128;
const smallBytes = 4096;

/** Rows of one window in one part, for the streams of a read. */
export interface PartOfWindow {
  readonly indexed: IndexedPart;
  readonly window: number;
  /** The times of the read. */
  readonly inside: OffsetRange;
}

/** A run of a part that belongs to a stream of a read. */
export interface Meeting {
  /** Of the stream, in the ascending numbers of those that are read. */
  place: number;
  run: number;
  /** The first row group of the run. */
  group: number;
  /** Whether that is its only one, and a small one. */
  isSmall: boolean;
}

/**
 * The runs of one window of a part that may have wanted columns and rows between the times, beside the ascending numbers
 * of streams: each of both is passed over at most once. The same object is given each time, until there is none left.
 */
export function meetingsOf(
  { indexed, window, inside }: PartOfWindow,
  streams: Uint32Array,
  wanted: ReadonlySet<number>,
): () => Meeting | undefined {
  const { runs, groups } = indexed.kept.index;
  const isWanted = wantedSets(indexed, wanted);
  const found: Meeting = { place: 0, run: 0, group: 0, isSmall: false };
  let [run, place] = [0, 0];
  return () => {
    while (run < runs.count && place < streams.length) {
      const [ofRun, asked] = [runs.streams[run]!, streams[place]!];
      if (ofRun < asked) run = passOver(runs.streams, asked, run + 1, runs.count);
      else if (ofRun > asked) place = passOver(streams, ofRun, place + 1, streams.length);
      else if (isMet(run)) {
        found.place = place;
        found.run = run++;
        return found;
      } else run++;
    }
    return undefined;
  };

  function isMet(at: number): boolean {
    if ((runs.windows?.[at] ?? runs.window) !== window) return false;
    if (isWanted[runs.sets[at]!] === 0) return false;
    const start = runStart(runs, at);
    const end = runs.ends[at]!;
    if (groups.maxOffsets[end - 1]! < inside.first || groups.minOffsets[start]! > inside.last) return false;
    found.group = start;
    found.isSmall =
      end - start === 1 && groups.rows[start]! < smallRows && groups.lengths[start]! <= smallBytes;
    return true;
  }
}

/** By number of the set, whether it has a wanted parameter. */
function wantedSets({ kept }: IndexedPart, wanted: ReadonlySet<number>): Uint8Array {
  const { columnSets } = kept.index.runs;
  const found = new Uint8Array(columnSets.count);
  for (const parameter of wanted) for (const set of columnSets.having(parameter)) found[set] = 1;
  return found;
}

/** The first place from `from` on whose number is not below a bound; mostly that is near. */
export function passOver(numbers: Uint32Array, bound: number, from: number, end: number): number {
  let low = from;
  for (let step = 1; low < end && numbers[low]! < bound; step *= 2) {
    const next = Math.min(end, low + step);
    if (next === end || numbers[next]! >= bound) return lowerBound(numbers, bound, low + 1, next);
    low = next;
  }
  return low;
}

/** Neighbouring small row groups of a part, and their bytes. */
export interface Batch {
  readonly part: PartOfWindow;
  readonly count: number;
  readonly places: Uint32Array;
  readonly runs: Uint32Array;
  readonly groups: Uint32Array;
  /** Where each begins in the bytes. */
  readonly starts: Uint32Array;
  /** Where the bytes stand in the file. */
  readonly position: number;
  readonly bytes: Buffer;
}

const batchGroups = 4096;
const batchBytes = 256 * 1024;
/** The most bytes between groups that are read together. */
const gapBytes = 16 * 1024;

/**
 * The small row groups of the streams whose `skip` is 0, as they stand in the file. The bytes of the next batch are on
 * their way while one is worked on.
 */
export async function* smallGroups(
  part: PartOfWindow,
  streams: Uint32Array,
  wanted: ReadonlySet<number>,
  skip: Uint8Array,
  pace: Pace,
): AsyncGenerator<Batch> {
  const { index } = part.indexed.kept;
  const { lengths } = index.groups;
  const next = meetingsOf(part, streams, wanted);
  let meeting = next();

  async function gather(): Promise<Batch | undefined> {
    const [places, runs, groups, starts] = Array.from({ length: 4 }, () => new Uint32Array(batchGroups));
    let [count, start, end] = [0, 0, 0];
    for (let looked = 1; meeting !== undefined && count < batchGroups; meeting = next(), looked++) {
      const turn = looked % batchGroups === 0 ? pace() : undefined;
      if (turn !== undefined) await turn;
      const { place, run, group } = meeting;
      if (skip[place] !== 0) continue;
      const position = positionOf(index, group);
      const after = position + lengths[group]!;
      if (count === 0) start = position;
      else if (position - end > gapBytes || after - start > batchBytes) break;
      end = after;
      places![count] = place;
      runs![count] = run;
      groups![count] = group;
      starts![count++] = position - start;
    }
    if (count === 0) return undefined;
    const bytes = await readRange(part.indexed, start, end - start);
    return {
      part,
      count,
      places: places!,
      runs: runs!,
      groups: groups!,
      starts: starts!,
      position: start,
      bytes,
    };
  }

  let coming = gather();
  for (;;) {
    const batch = await coming;
    if (batch === undefined) return;
    coming = gather();
    // A failure belongs to whoever waits for it; nobody may, when a read ends early.
    coming.catch(() => undefined);
    yield batch;
  }
}

/** Past the cache: each group is wanted once. */
async function readRange(
  { part, reader: { file } }: IndexedPart,
  position: number,
  length: number,
): Promise<Buffer> {
  const bytes = await readable(part, () => (file.readFresh ?? file.read)(position, length));
  if (bytes.length === length) return bytes;
  throw new DamagedError(file.name, position, position + length, 'the file ends before these bytes');
}

/** The bytes of a batch as a file. */
export function fileOfBatch({ part, position: start, bytes }: Batch): PartFile {
  const { name, size } = part.indexed.reader.file;
  const held = (position: number, length: number) =>
    bytes.subarray(position - start, position - start + length);
  return { name, size, held, read: async (position, length) => held(position, length) };
}
