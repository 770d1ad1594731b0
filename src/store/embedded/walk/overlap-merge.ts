import { sliceRows } from '../../../domain/slice-rows.ts';
import { reverseRows } from '../rows/gather-rows.ts';
import { mergeInPieces } from '../rows/merge-pieces.ts';
import { firstRowFrom, type RowGroup } from '../rows/row-group.ts';

/** Rows of one stream in one window that are not loaded yet. Offsets are inclusive bounds of what it may hold. */
export interface RowSource {
  /** Of the same parameter of the same row, the source with the higher rank wins. */
  readonly rank: number;
  readonly first: number;
  readonly last: number;
  /** The rows inside the bounds, ordered by (offset, tag set), identities distinct. */
  load(): Promise<RowGroup>;
}

/** A source whose rows are loaded: those that were not given yet. */
interface OpenSource {
  readonly rank: number;
  readonly group: RowGroup;
}

/**
 * Merges sources into groups that follow one another in time, each identity once. Only sources that overlap are
 * open at the same time; a timestamp never stands in two groups. Descending, the groups come last first and
 * their rows are reversed.
 */
export async function* mergeSources(
  sources: readonly RowSource[],
  descending: boolean,
): AsyncGenerator<RowGroup> {
  const waiting = [...sources].sort(descending ? (a, b) => b.last - a.last : (a, b) => a.first - b.first);
  let open: OpenSource[] = [];
  const loads = loadAhead(waiting);
  let next = 0;
  const load = async () => {
    const { rank } = waiting[next]!;
    const group = await loads(next++);
    if (group.count > 0) open.push({ rank, group });
  };
  while (next < waiting.length || open.length > 0) {
    if (open.length === 0) {
      await load();
      continue;
    }
    // Up to the horizon every row is known once all sources that reach it are open.
    let horizon = horizonOf(open, descending);
    while (next < waiting.length && reaches(waiting[next]!, horizon, descending)) {
      await load();
      horizon = horizonOf(open, descending);
    }
    const ready: OpenSource[] = [];
    const rest: OpenSource[] = [];
    for (const { rank, group } of open) {
      const cut = firstRowFrom(group.offsets, descending ? horizon : horizon + 1);
      const [now, later] = descending
        ? [
            [cut, group.count],
            [0, cut],
          ]
        : [
            [0, cut],
            [cut, group.count],
          ];
      if (now[1]! > now[0]!) ready.push({ rank, group: sliceRows(group, now[0]!, now[1]!) });
      if (later[1]! > later[0]!) rest.push({ rank, group: sliceRows(group, later[0]!, later[1]!) });
    }
    open = rest;
    const inRank = ready.sort((a, b) => a.rank - b.rank).map(({ group }) => group);
    for (const merged of mergeInPieces(inRank, descending)) yield descending ? reverseRows(merged) : merged;
  }
}

/** Reads that are under way beyond the one that is needed: a read waits mostly for its turn, not for the disk. */
const readsAhead = 3;

/** Loads sources by index, in order, some ahead. */
function loadAhead(sources: readonly RowSource[]): (index: number) => Promise<RowGroup> {
  const started: Promise<RowGroup>[] = [];
  return (index) => {
    while (started.length < sources.length && started.length <= index + readsAhead) {
      const load = sources[started.length]!.load();
      // A failure belongs to whoever asks for it; nobody may, when a read ends early.
      load.catch(() => undefined);
      started.push(load);
    }
    const load = started[index]!;
    started[index] = released;
    return load;
  };
}

const released = Promise.resolve({} as RowGroup);

function horizonOf(open: readonly OpenSource[], descending: boolean): number {
  let horizon = descending ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  for (const { group } of open) {
    horizon = descending
      ? Math.max(horizon, group.offsets[0]!)
      : Math.min(horizon, group.offsets[group.count - 1]!);
  }
  return horizon;
}

function reaches(source: RowSource, horizon: number, descending: boolean): boolean {
  return descending ? source.last >= horizon : source.first <= horizon;
}
