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

/** With more streams what was found is forgotten: it bounds the memory. */
const maxStreams = 65_536;

const foundIn = new WeakMap<readonly Tombstone[], Map<number, Found>>();

function foundOf(list: readonly Tombstone[]): Map<number, Found> {
  const found = foundIn.get(list) ?? new Map<number, Found>();
  foundIn.set(list, found);
  return found;
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
  const known = found.get(stream);
  if (known === undefined) {
    const current = addTombstones(noTombstones, concerning(list, 0, stream));
    if (found.size >= maxStreams) found.clear();
    found.set(stream, { seen: lsn, current, before: noTombstones, changedAt: 0 });
    return current;
  }
  if (lsn > known.seen) {
    const newer = concerning(list, known.seen, stream);
    known.seen = lsn;
    if (newer.length === 0) return known.current;
    known.before = known.current;
    known.changedAt = newer[0]!.lsn;
    known.current = addTombstones(known.before, newer);
    return known.current;
  }
  if (lsn >= known.current.lsn) return known.current;
  // A snapshot of before some deletes: mostly of before the last one.
  if (lsn >= known.before.lsn && lsn < known.changedAt) return known.before;
  return addTombstones(noTombstones, concerning(list, 0, stream));
}

/** Those after an LSN that concern a stream. */
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
