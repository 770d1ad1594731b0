import type { TagFilter } from '../../../domain/query.ts';
import { type PatternBudget, patternBudget, unbounded } from '../../../query/pattern-budget.ts';
import { compileTagFilters } from '../../../query/tag-predicate.ts';
import type { Pace } from '../../../turns/pace.ts';
import { windowStart } from '../rows/windows.ts';
import { countShown } from './count-shown.ts';
import type { OpenSnapshot } from './snapshot.ts';
import { type Walk, walkOf } from './walk.ts';
import { headSections } from './walk-head.ts';
import {
  countOfGroup,
  isWholeGroup,
  manyStreams,
  type PartGroup,
  type PinnedParts,
  partGroups,
  pinParts,
} from './walk-parts.ts';

/** What to look at in a stream to count its rows: fixed to the moment just before the delete. */
export interface RowsToCount {
  readonly stream: number;
  /** Those that lose values. */
  readonly parameters: ReadonlySet<number>;
  readonly hasEvents: boolean;
}

/** How many rows of a snapshot have a value that a delete takes: each identity once. It is plain data. */
export interface LostRowsQuestion {
  readonly kind: 'lostRows';
  /** Nanoseconds, both inclusive. */
  readonly from: bigint;
  readonly to: bigint;
  readonly tagFilters: readonly TagFilter[];
  /** Whether the delete names its parameters. */
  readonly isNamed: boolean;
  /** Their numbers ascend. */
  readonly streams: readonly RowsToCount[];
  /** How long (ms) earlier questions of the delete have searched for patterns; undefined: they may take any time. */
  readonly searchedMs: number | undefined;
}

export interface LostRows {
  readonly rows: number;
  /** With the time of the question. */
  readonly searchedMs: number;
}

/**
 * Rows of one place between two times (ns, both inclusive); `rows` where that is known without reading them, `group`
 * where its times alone tell.
 */
interface Stretch {
  readonly from: bigint;
  to: bigint;
  rows: number | undefined;
  group: PartGroup | undefined;
}

/** Throws `query_too_slow` where searching for the patterns takes too long. */
export async function lostRows(
  open: OpenSnapshot,
  question: LostRowsQuestion,
  pace: Pace,
): Promise<LostRows> {
  const { from, to, streams, searchedMs } = question;
  const budget = searchedMs === undefined ? unbounded : patternBudget(searchedMs);
  const parts = streams.length < manyStreams ? undefined : await pinParts(open, from, to, pace);
  try {
    const rows = await countRows(open, question, pace, budget, parts);
    return { rows, searchedMs: budget.spentMs() };
  } finally {
    parts?.letGo();
  }
}

async function countRows(
  open: OpenSnapshot,
  { from, to, tagFilters, isNamed, streams }: LostRowsQuestion,
  pace: Pace,
  budget: PatternBudget,
  parts: PinnedParts | undefined,
): Promise<number> {
  const wanted = compileTagFilters(tagFilters, budget);
  let count = 0;
  for (const { stream, parameters, hasEvents } of streams) {
    // Each row of a row group has a value; of which parameter, and with which tags, only reading it tells.
    const isPlain = wanted === undefined && !isNamed && !hasEvents;
    // A delete takes no events, so what has nothing else does not count.
    const walk = walkOf(open.snapshot, stream, from, to, false);
    if (walk === undefined) continue;
    const turn = pace();
    if (turn !== undefined) await turn;
    const all: Stretch = { from, to, rows: undefined, group: undefined };
    for (const stretch of isPlain ? await stretchesOf(open, walk, pace, parts) : [all]) {
      const known = stretch.rows ?? (stretch.group && countOfGroup(stretch.group));
      if (known !== undefined) {
        count += known instanceof Promise ? await known : known;
        continue;
      }
      const { from: first, to: last } = stretch;
      count += await countShown(open, { from: first, to: last, stream, parameters, wanted, pace });
    }
  }
  return count;
}

/** What holds rows of a stream, in order of time; what overlaps is one stretch, to be read. */
async function stretchesOf(
  open: OpenSnapshot,
  walk: Walk,
  pace: Pace,
  parts: PinnedParts | undefined,
): Promise<Stretch[]> {
  const { from, to } = walk;
  const found = headSections(walk).map(
    ({ first, last }): Stretch => ({
      from: first < from ? from : first,
      to: last > to ? to : last,
      rows: undefined,
      group: undefined,
    }),
  );
  if (parts !== undefined) found.push(...parts.groupsOn(walk).map(stretchOf));
  else for await (const groups of partGroups(open, walk, pace)) found.push(...groups.map(stretchOf));
  return joined(found);
}

function stretchOf(group: PartGroup): Stretch {
  const start = windowStart(group.window);
  return {
    from: start + BigInt(group.first),
    to: start + BigInt(group.last),
    rows: isWholeGroup(group) ? group.handle.rows : undefined,
    group: group.hidden.length === 0 ? group : undefined,
  };
}

function joined(stretches: Stretch[]): Stretch[] {
  if (stretches.length > 1) stretches.sort((a, b) => (a.from < b.from ? -1 : a.from > b.from ? 1 : 0));
  const apart: Stretch[] = [];
  for (const stretch of stretches) {
    const before = apart.at(-1);
    if (before === undefined || stretch.from > before.to) {
      apart.push(stretch);
      continue;
    }
    before.rows = undefined;
    before.group = undefined;
    if (stretch.to > before.to) before.to = stretch.to;
  }
  return apart;
}
