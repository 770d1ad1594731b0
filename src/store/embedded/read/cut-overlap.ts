import type { OffsetRange } from '../rows/windows.ts';
import type { Source } from './sources.ts';
import type { PartGroup } from './walk-parts.ts';

/** So many rows of a group, about, or this share of them, are worth a piece of their own: the group is opened once for each. */
const fewRows = 512;
const smallShare = 1 / 8;

/** Sources in a range of offsets: a row group alone, or some that have to be merged there. */
export type Stretch =
  | { readonly kind: 'alone'; readonly group: PartGroup }
  | { readonly kind: 'together'; readonly sources: readonly Source[] };

/**
 * Cuts row groups where other sources overlap them for a part of their time only: late rows fall into an hour of a
 * group, and the rest of it is as good as untouched. Stretches come in order of time, none has a time of another.
 *
 * @param sources of one window, each overlapping another directly or by way of others, ordered by their first offsets
 */
export function cutOverlap(sources: readonly Source[]): Stretch[] {
  const alone = stretchesAlone(sources);
  if (alone.length === 0) return [{ kind: 'together', sources }];
  const stretches: Stretch[] = [];
  let from = sources[0]!.first;
  const mergeUpTo = (last: number): void => {
    if (from > last) return;
    const range = { first: from, last };
    stretches.push({ kind: 'together', sources: sources.flatMap((source) => cut(source, range) ?? []) });
  };
  for (const group of alone) {
    mergeUpTo(group.first - 1);
    stretches.push({ kind: 'alone', group });
    from = group.last + 1;
  }
  mergeUpTo(sources.reduce((most, { last }) => Math.max(most, last), 0));
  return stretches;
}

/** What of groups no other source reaches into, where that is much; in order of time. */
function stretchesAlone(sources: readonly Source[]): PartGroup[] {
  const borders = [
    ...sources.map(({ first }, place) => ({ offset: first, place, opens: true })),
    ...sources.map(({ last }, place) => ({ offset: last + 1, place, opens: false })),
  ].sort((a, b) => a.offset - b.offset);
  const found: PartGroup[] = [];
  const open = new Set<number>();
  let from = 0;
  for (const { offset, place, opens } of borders) {
    const [only] = open;
    const source = open.size === 1 ? sources[only!] : undefined;
    if (source?.kind === 'group') {
      const group = cut(source, { first: from, last: offset - 1 });
      if (group?.kind === 'group' && isMuch(group, source)) found.push(group);
    }
    if (opens) open.add(place);
    else open.delete(place);
    from = offset;
  }
  return found;
}

function isMuch({ first, last }: PartGroup, { handle }: PartGroup): boolean {
  const share = (last - first + 1) / (handle.maxOffset - handle.minOffset + 1);
  return share >= smallShare && share * handle.rows >= fewRows;
}

/** A source inside a range; undefined where it has nothing there. Only groups are cut: all else lies in one range. */
function cut(source: Source, range: OffsetRange): Source | undefined {
  const first = Math.max(source.first, range.first);
  const last = Math.min(source.last, range.last);
  if (first > last) return undefined;
  return source.kind === 'group' ? { ...source, inside: { first, last }, first, last } : source;
}
