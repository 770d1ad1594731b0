import { copyRows } from '../rows/gather-rows.ts';
import { firstRowFrom, type RowGroup } from '../rows/row-group.ts';

/**
 * The sources of a merge in order of time. From an offset on they may be put off: then comes all that lies before it, and
 * after that the rest of those that had begun.
 */
export interface SourceQueue {
  /** The next source with rows before the end; undefined where none is left. */
  take(): TakenSource | undefined;
  /** No row of a source that is not yet taken is before this; infinite after the last one. */
  nextFirst(): number;
  /** Rows from here on are put off; infinite where none are. */
  end(): number;
  /** Of all rows of a source those whose turn it is: from where it was put off last, and before the end. */
  inTurn(taken: TakenSource, rows: RowGroup): RowGroup;
  /** Sets an end, before the one that there is, and says which sources have rows from there on. */
  putOff(sources: readonly number[], from: number): void;
  /** Puts the sources back that were put off; false where there are none. */
  putBack(): boolean;
}

export interface TakenSource {
  readonly source: number;
  readonly first: number;
  /** Whether it was not yet taken before. */
  readonly isWhole: boolean;
}

/** @param sources how many, and offsets that no row of each is before */
export function sourceQueue(sources: { readonly count: number; first(source: number): number }): SourceQueue {
  const firsts = new Float64Array(sources.count);
  for (let source = 0; source < sources.count; source++) firsts[source] = sources.first(source);
  const order = inOrder(firsts);
  let place = 0;
  /** Sources that were put back, which begin with the rows at the same offset, and how many of them are taken. */
  let back: readonly number[] = [];
  let backPlace = 0;
  let backFrom = 0;
  let off = new Set<number>();
  let end = Number.POSITIVE_INFINITY;

  function nextFirst(): number {
    if (backPlace < back.length) return backFrom;
    const source = order[place];
    return source === undefined ? Number.POSITIVE_INFINITY : firsts[source]!;
  }

  return {
    nextFirst: () => Math.min(nextFirst(), end),
    end: () => end,
    take() {
      const first = nextFirst();
      if (first >= end) return undefined;
      if (backPlace < back.length) return { source: back[backPlace++]!, first, isWhole: false };
      return { source: order[place++]!, first, isWhole: true };
    },
    inTurn({ source, isWhole }, rows) {
      const from = isWhole ? 0 : firstRowFrom(rows.offsets, backFrom);
      const to = firstRowFrom(rows.offsets, end);
      if (to < rows.count) off.add(source);
      return from === 0 && to === rows.count ? rows : copyRows(rows, from, Math.max(from, to));
    },
    putOff(some, from) {
      end = from;
      for (const source of some) off.add(source);
    },
    putBack() {
      if (off.size === 0) return false;
      back = [...off].sort((a, b) => a - b);
      backPlace = 0;
      backFrom = end;
      off = new Set();
      end = Number.POSITIVE_INFINITY;
      return true;
    },
  };
}

/** Sources in order of time, of one time in order of rank. */
function inOrder(firsts: Float64Array): Uint32Array {
  const order = Uint32Array.from(firsts.keys());
  for (let i = 1; i < firsts.length; i++) {
    if (firsts[i - 1]! > firsts[i]!) return order.sort((a, b) => firsts[a]! - firsts[b]! || a - b);
  }
  return order;
}
