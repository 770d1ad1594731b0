import { windowStart } from '../rows/windows.ts';
import { type ByWindow, type IndexedPart, partsByWindow } from './indexed-parts.ts';
import type { Snapshot } from './snapshot.ts';
import { type PieceChain, type PieceRange, piecesOf } from './stream-pieces.ts';
import type { PartGroup } from './walk-parts.ts';
import { groupOfRange } from './walk-ranges.ts';

/**
 * The row group in which a read begins, where its rows before that are all that the stream has between its first row and
 * there; undefined where it begins elsewhere, or where something overlaps, hides or expires those rows.
 *
 * @param parts of the range
 * @param chains the pieces of the stream in the range
 */
export function groupBefore(
  snapshot: Snapshot,
  parts: ByWindow<IndexedPart>,
  stream: number,
  range: PieceRange,
  chains: readonly PieceChain[],
): PartGroup | undefined {
  const group = onlyGroup(chains, false);
  if (group === undefined) return undefined;
  const from = windowStart(group.window) + BigInt(group.handle.minOffset);
  const before = { from, to: range.from - 1n };
  if (from > before.to) return undefined;
  const known = parts.get(group.window)?.map(({ part }) => part) ?? [];
  const there = partsByWindow(snapshot, before).get(group.window) ?? [];
  if (there.some((part) => !known.includes(part))) return undefined;
  const alone = onlyGroup(piecesOf(snapshot, parts, stream, { ...range, ...before }), true);
  const isSame = alone?.part === group.part && alone.handle.position === group.handle.position;
  return isSame && alone.inside.first <= group.handle.minOffset ? group : undefined;
}

/** The first group of the only chain that has pieces, with nothing hidden. */
function onlyGroup(chains: readonly PieceChain[], isAlone: boolean): PartGroup | undefined {
  const filled = chains.filter(({ pieces }) => pieces.length > 0);
  const piece = filled.length === 1 ? filled[0]!.pieces[0]! : undefined;
  if (piece === undefined || (isAlone && filled[0]!.pieces.length > 1)) return undefined;
  if (piece.kind === 'range') return isAlone ? undefined : groupOfRange(piece, piece.start);
  return piece.kind === 'group' && piece.group.hidden.length === 0 ? piece.group : undefined;
}
