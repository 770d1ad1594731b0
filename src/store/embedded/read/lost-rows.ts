import type { TagFilter } from '../../../domain/query.ts';
import { type PatternBudget, patternBudget, unbounded } from '../../../query/bounds/pattern-budget.ts';
import { compileTagFilters } from '../../../query/plan/tag-predicate.ts';
import type { Pace } from '../../../turns/pace.ts';
import { dropEmptyRows, keepTags } from '../rows/gather-rows.ts';
import { mergeRowGroups } from '../rows/merge-row-groups.ts';
import type { RowGroup } from '../rows/row-group.ts';
import { windowStart } from '../rows/windows.ts';
import type { OpenSnapshot } from '../snapshot/snapshot.ts';
import { indexParts, letGoOf, partsByWindow } from '../walk/indexed-parts.ts';
import { mergeSources, type RowSource } from '../walk/overlap-merge.ts';
import { loadable, sourcesIn } from '../walk/sources.ts';
import { type Walk, walkOf } from '../walk/walk.ts';
import { addPlaced, headRowsInSlices, headSections } from '../walk/walk-head.ts';
import {
  countOfGroup,
  groupRowsInSlices,
  isWholeGroup,
  manyStreams,
  type PartGroup,
  type PinnedParts,
  partGroups,
  pinParts,
} from '../walk/walk-parts.ts';
import type { StreamRange } from './execute.ts';

/** What to look at in a stream to count its rows: fixed to the moment just before the delete. */
export interface RowsToCount {
  readonly stream: number;
  /** The parameters that lose values. */
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

/** Some columns of a row group at a time are looked at, as a stream may have very many. */
type ShownRange = Pick<StreamRange, 'stream' | 'from' | 'to' | 'parameters' | 'wanted' | 'pace'>;

/** How many rows of one stream have a value of the parameters, none of which is of events: each identity once. */
export async function countShown(open: OpenSnapshot, range: ShownRange): Promise<number> {
  const { stream, from, to, parameters, pace } = range;
  const walk = walkOf(open.snapshot, stream, from, to, false);
  if (walk === undefined) return 0;
  const head = new Map<number, RowGroup[]>();
  for (const { window, group } of headRowsInSlices(walk, parameters)) {
    const turn = pace();
    if (turn !== undefined) await turn;
    addPlaced(head, { window, group: identitiesOf(group, range) });
  }
  const parts = partsByWindow(open.snapshot, walk);
  let count = 0;
  for (const window of new Set([...head.keys(), ...parts.keys()])) {
    await pace();
    const indexed = await indexParts(open.readers, parts.get(window) ?? []);
    try {
      const sources = sourcesIn(walk, window, indexed, head.get(window), parameters).map(
        (source): RowSource => {
          if (source.kind !== 'group') return loadable(source, []);
          const { rank, first, last } = source;
          return { rank, first, last, load: () => identitiesOfGroup(source, range) };
        },
      );
      for await (const merged of mergeSources(sources, false)) {
        count += merged.count;
        await pace();
      }
    } finally {
      letGoOf(indexed);
    }
  }
  return count;
}

async function identitiesOfGroup(group: PartGroup, range: ShownRange): Promise<RowGroup> {
  const { stream } = group.handle;
  let found: RowGroup = { ...noRows, stream };
  for (const rows of await groupRowsInSlices(group, range.parameters)) {
    const turn = range.pace();
    if (turn !== undefined) await turn;
    found = mergeRowGroups([found, identitiesOf(rows, range)]);
  }
  return found;
}

/** Rows with a value and wanted tags, without columns. */
function identitiesOf(rows: RowGroup, { wanted }: ShownRange): RowGroup {
  const bare = { ...dropEmptyRows(rows), columns: [] };
  return wanted === undefined ? bare : keepTags(bare, wanted);
}

const noRows: Omit<RowGroup, 'stream'> = {
  count: 0,
  offsets: new Float64Array(),
  tagSets: [],
  tagIndex: undefined,
  columns: [],
};
