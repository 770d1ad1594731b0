import { cleanLsnOf, masksWithin, rowMasks } from './masks.ts';
import { mergeRowGroups } from './merge-row-groups.ts';
import type { RowSource } from './overlap-merge.ts';
import type { Part } from './part-set.ts';
import {
  headGroups,
  type OffsetRange,
  type PartGroup,
  readable,
  type Snapshot,
  type StreamRange,
  sourceOfGroup,
} from './snapshot.ts';
import { firstRowFrom, type RowGroup, sliceRows } from './sorted-rows.ts';
import { rangeInWindow, windowOf } from './windows.ts';

/** Rows of one stream in one window, in one of the forms in which a snapshot has them. */
export type Piece =
  /** A row group of a part that nothing overlaps and no mask touches; its rows outside of `inside` are not wanted. */
  | {
      readonly kind: 'stored';
      readonly window: number;
      readonly group: PartGroup;
      readonly inside: OffsetRange;
    }
  /** Rows of the head that nothing overlaps; the arrays may be views into slabs. Some may have no value. */
  | { readonly kind: 'rows'; readonly window: number; readonly rows: RowGroup }
  /** Sources that overlap, or whose rows are masked. */
  | { readonly kind: 'overlap'; readonly window: number; readonly sources: readonly RowSource[] };

/** Makes sure that the indexes of parts are in memory. */
export async function loadIndexes(snapshot: Snapshot, parts: Iterable<readonly Part[]>): Promise<void> {
  for (const ofWindow of parts) {
    for (const part of ofWindow) {
      if (part.ready !== undefined && part.ready.reader.indexBytes > 0) continue;
      await readable(part, async () => {
        const { reader } = await snapshot.partSet.open(part);
        await reader.groupsOf(0, 0, 0);
      });
    }
  }
}

/** The parameters and times of a read of many streams. */
export type PieceRange = Omit<StreamRange, 'stream' | 'pace' | 'descending' | 'wanted'>;

/**
 * The rows of one stream in pieces, window by window; those of one time are in one piece. Nothing is read: the indexes
 * of `parts` (by window) have to be in memory. Pieces follow one another in order of time.
 */
export function* piecesOf(
  snapshot: Snapshot,
  parts: ReadonlyMap<number, readonly Part[]>,
  stream: number,
  asked: PieceRange,
): Generator<Piece> {
  const kept = snapshot.keptFrom(stream);
  const from = kept !== undefined && kept > asked.from ? kept : asked.from;
  const { to } = asked;
  if (from > to) return;
  const range = { ...asked, from, stream, descending: false, pace: () => undefined };
  const head = headGroups(snapshot, range);
  const [firstWindow, lastWindow] = [windowOf(from), windowOf(to)];
  const windows = head.size === 0 ? [...parts.keys()] : [...new Set([...head.keys(), ...parts.keys()])];
  windows.sort((a, b) => a - b);
  const wanted = [...asked.parameters].sort((a, b) => a - b);
  for (const window of windows) {
    if (window < firstWindow || window > lastWindow) continue;
    const inside = rangeInWindow(window, from, to)!;
    const candidates = storedIn(snapshot, parts.get(window) ?? [], stream, inside, wanted);
    const rows = headRows(head.get(window), inside);
    if (rows !== undefined) {
      const [first, last] = [rows.offsets[0]!, rows.offsets[rows.count - 1]!];
      const rank = snapshot.parts.length;
      candidates.push({
        first,
        last,
        piece: { kind: 'rows', window, rows },
        source: () => ({ rank, first, last, load: async () => rows }),
      });
    }
    yield* apart(window, candidates);
  }
}

/** What may be a piece by itself, with its offsets, both inclusive, and as a source to be merged with others. */
interface Candidate {
  readonly first: number;
  readonly last: number;
  /** Undefined where it has to be read as a source. */
  readonly piece: Piece | undefined;
  source(): RowSource;
}

function storedIn(
  { masks }: Snapshot,
  parts: readonly Part[],
  stream: number,
  inside: OffsetRange,
  wanted: readonly number[],
): Candidate[] {
  const candidates: Candidate[] = [];
  for (let rank = 0; rank < parts.length; rank++) {
    const part = parts[rank]!;
    const { window } = part.record;
    const { reader } = part.ready!;
    const handles = reader.groupsHeld(stream, inside.first, inside.last)!;
    if (handles.length === 0) continue;
    const hidden = rowMasks(masks, cleanLsnOf(part.record), stream, window);
    for (const handle of handles) {
      const group = { part, rank, reader, handle };
      const isClean = masksWithin(hidden, handle.minOffset, handle.maxOffset).length === 0;
      candidates.push({
        first: Math.max(handle.minOffset, inside.first),
        last: Math.min(handle.maxOffset, inside.last),
        piece: isClean ? { kind: 'stored', window, group, inside } : undefined,
        source: () => sourceOfGroup(group, hidden, inside, wanted),
      });
    }
  }
  return candidates;
}

function headRows(groups: readonly RowGroup[] | undefined, inside: OffsetRange): RowGroup | undefined {
  if (groups === undefined) return undefined;
  const merged = mergeRowGroups(groups);
  const from = firstRowFrom(merged.offsets, inside.first);
  const to = firstRowFrom(merged.offsets, inside.last + 1);
  return from < to ? sliceRows(merged, from, to) : undefined;
}

/** Joins what overlaps. */
function* apart(window: number, candidates: Candidate[]): Generator<Piece> {
  if (candidates.length > 1) candidates.sort((a, b) => a.first - b.first);
  for (let i = 0; i < candidates.length; ) {
    const candidate = candidates[i]!;
    let { last } = candidate;
    let end = i + 1;
    for (; end < candidates.length && candidates[end]!.first <= last; end++)
      last = Math.max(last, candidates[end]!.last);
    if (end === i + 1 && candidate.piece !== undefined) yield candidate.piece;
    else yield { kind: 'overlap', window, sources: candidates.slice(i, end).map(({ source }) => source()) };
    i = end;
  }
}
