import { compareStreamKeys } from '../../domain/stream.ts';
import { compareTagSets, tagSetOfKey } from '../../domain/tags.ts';
import { followsFromRowsBefore } from '../../expression/look-back.ts';
import { type Calculated, expressionsOf } from '../../query/plan/calculated.ts';
import type { Position } from '../../query/plan/cursor.ts';
import type { ReadPlan } from '../../query/plan/plan.ts';
import { compileTagFilters } from '../../query/plan/tag-predicate.ts';
import type { RowBlock } from '../row-block.ts';
import { decodePageState, type SavedStream } from './page-state.ts';
import type { CalculatingPlan } from './with-columns.ts';

/** Where a page of columns that look along rows begins. */
export interface BeginOfPage {
  /** The rows that are gone through. */
  readonly stored: ReadPlan;
  /** The same for those before `stored.from`, of streams of which nothing was saved. */
  readonly before: ReadPlan;
  /** What is remembered of streams up to there. */
  readonly saved: readonly SavedStream[];
  /**
   * Whether each stream with a row up to the end of the page is then known: it was saved, or its row was gone through. Where
   * the page begins in the middle, the last row of a stream may lie before it, and no cursor may say that there is none.
   */
  readonly knowsAll: boolean;
  /** Whether a row that was gone through is chosen; undefined where all are. */
  readonly isWanted: RowFilter | undefined;
  /** Where else it may begin; undefined where there are no rows before to be looked at for each stream. */
  readonly instead?: BeginOfPage;
}

type RowFilter = (block: RowBlock, row: number) => boolean;

/**
 * A page begins behind the row of its cursor where that carries what was remembered there. Where all that is asked for follows
 * from some rows before, it begins at the time of the cursor, as if that were `from`; else at `from`, and so where that
 * means to look at the rows before of more streams than it is worth. Throws `invalid_value` for
 * a cursor that nobody has made.
 */
export function beginOfPage(plan: CalculatingPlan): BeginOfPage {
  const { calculated, tagFilters, after, pageRows, ...rest } = plan;
  const hasTags = compileTagFilters(tagFilters);
  const ofTags: RowFilter | undefined =
    hasTags && ((block, row) => hasTags(block.tagSets[block.tagIndex?.[row] ?? 0]!));
  const all = { ...rest, tagFilters: [], order: 'Asc', limit: undefined, after: undefined } as const;
  const onePage = pageRows === undefined ? {} : { pageRows };
  if (after === undefined) {
    const stored = { ...all, ...(plan.order === 'Asc' && onePage) };
    return { stored, before: all, saved: [], knowsAll: true, isWanted: ofTags };
  }
  if (plan.order === 'Desc') {
    const to = after.timestamp < plan.to ? after.timestamp : plan.to;
    const stored = { ...all, to };
    return {
      stored,
      before: stored,
      saved: [],
      knowsAll: true,
      isWanted: both(ofTags, rowsAfter(after, true)),
    };
  }
  const saved = after.state === undefined ? undefined : decodePageState(plan, after.state);
  if (saved !== undefined)
    return { stored: { ...all, ...onePage, after }, before: all, saved, knowsAll: true, isWanted: ofTags };
  const isWanted = both(ofTags, rowsAfter(after, false));
  const atFrom = { stored: all, before: all, saved: [], knowsAll: true, isWanted };
  if (after.timestamp <= plan.from || !followFromRowsBefore(calculated)) return atFrom;
  const before = { ...all, from: after.timestamp };
  return { stored: { ...before, ...onePage }, before, saved: [], knowsAll: false, isWanted, instead: atFrom };
}

function followFromRowsBefore({ columns }: Calculated): boolean {
  return columns.every((column) =>
    expressionsOf(column).every(({ expression }) => followsFromRowsBefore(expression.root)),
  );
}

function both(one: RowFilter | undefined, other: RowFilter): RowFilter {
  return one === undefined ? other : (block, row) => one(block, row) && other(block, row);
}

/** The rows behind a position in the order. */
export function rowsAfter(position: Position, descending: boolean): RowFilter {
  const tags = tagSetOfKey(position.tags);
  return (block, row) => {
    const distance = block.offsets[row]! - Number(position.timestamp - block.base);
    const order =
      distance ||
      compareStreamKeys(block.streams[block.streamIndex?.[row] ?? 0]!, position) ||
      compareTagSets(block.tagSets[block.tagIndex?.[row] ?? 0]!, tags);
    return descending ? order < 0 : order > 0;
  };
}
