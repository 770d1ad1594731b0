import { addTombstones, noTombstones, type StreamTombstones } from './stream-tombstones.ts';
import { concernsStream, type Tombstone } from './tombstone.ts';

/**
 * Finds the tombstones of a stream in a list of all. Lists that grew from one another share what was found, so that each
 * tombstone is looked at once for each stream that is read.
 */

interface Found {
  /** Tombstones up to this LSN were looked at. */
  seen: number;
  current: StreamTombstones;
  /** What was there before the newest tombstones of the stream, and the LSN of the first of these. */
  before: StreamTombstones;
  changedAt: number;
}

/** The most streams of which what was found is remembered: it bounds the memory. */
const maxStreams = 65_536;

interface FoundOfAll {
  readonly streams: Map<number, Found>;
  /** What was made last: a delete of many streams makes the same of each. */
  last: { readonly before: StreamTombstones; readonly newer: Tombstone[]; readonly after: StreamTombstones };
}

const foundIn = new WeakMap<readonly Tombstone[], FoundOfAll>();

function foundOf(list: readonly Tombstone[]): FoundOfAll {
  const found = foundIn.get(list) ?? {
    streams: new Map<number, Found>(),
    last: { before: noTombstones, newer: [], after: noTombstones },
  };
  foundIn.set(list, found);
  return found;
}

/** The tombstones of a stream with newer ones: those of streams that had the same before are one. */
function withNewer(found: FoundOfAll, before: StreamTombstones, newer: Tombstone[]): StreamTombstones {
  const { last } = found;
  const isSame =
    last.before === before &&
    last.newer.length === newer.length &&
    newer.every((tombstone, i) => tombstone === last.newer[i]);
  if (isSame) return last.after;
  const after = addTombstones(before, newer);
  found.last = { before, newer, after };
  return after;
}

/** The list with one more tombstone; it comes by LSN. */
export function withTombstone(list: readonly Tombstone[], added: Tombstone): readonly Tombstone[] {
  const longer = [...list, added];
  const isNewest = list.length === 0 || list.at(-1)!.lsn < added.lsn;
  if (!isNewest) return longer.sort((a, b) => a.lsn - b.lsn);
  if (list.length > 0) foundIn.set(longer, foundOf(list));
  return longer;
}

/** Those of a list, by LSN, that concern a stream. */
export function tombstonesOf(list: readonly Tombstone[], stream: number): StreamTombstones {
  const lsn = list.at(-1)?.lsn;
  if (lsn === undefined) return noTombstones;
  const found = foundOf(list);
  const known = found.streams.get(stream);
  if (known === undefined) {
    const current = withNewer(found, noTombstones, concerning(list, 0, stream));
    if (found.streams.size >= maxStreams) found.streams.clear();
    found.streams.set(stream, { seen: lsn, current, before: noTombstones, changedAt: 0 });
    return current;
  }
  if (lsn > known.seen) {
    const newer = concerning(list, known.seen, stream);
    known.seen = lsn;
    if (newer.length === 0) return known.current;
    known.before = known.current;
    known.changedAt = newer[0]!.lsn;
    known.current = withNewer(found, known.before, newer);
    return known.current;
  }
  if (lsn >= known.current.lsn) return known.current;
  // A snapshot of before some deletes: mostly of before the last one.
  if (lsn >= known.before.lsn && lsn < known.changedAt) return known.before;
  return addTombstones(noTombstones, concerning(list, 0, stream));
}

/** Returns the tombstones after an LSN that concern a stream. */
function concerning(list: readonly Tombstone[], lsn: number, stream: number): Tombstone[] {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (list[middle]!.lsn <= lsn) low = middle + 1;
    else high = middle;
  }
  const found: Tombstone[] = [];
  for (let i = low; i < list.length; i++) if (concernsStream(list[i]!, stream)) found.push(list[i]!);
  return found;
}
