import { maxTimestamp, minTimestamp } from '../../../domain/timestamp.ts';
import { runsAlongRows } from '../../../query/plan/calculated.ts';
import { isAggregate } from '../../../query/plan/plan.ts';
import { hasPatterns } from '../../../query/plan/tag-predicate.ts';
import {
  type AnswerRequest,
  asksForTags,
  type EventsRequest,
  type RowsRequest,
} from '../../answers/answer.ts';
import type { HeadView } from '../log/head.ts';
import { rowsExtent, rowsParameters } from '../log/rows-section.ts';
import { sectionsWanted } from '../log/stream-sections.ts';
import type { CachedIndex } from '../parts/cached-index.ts';
import { groupsOf } from '../parts/find-groups.ts';
import type { Part, PartReaders } from '../parts/part-readers.ts';
import type { BoundStreams } from '../read/bind-streams.ts';
import type { OwnQuestion } from '../read/own-questions.ts';
import { rangeInWindow } from '../rows/windows.ts';
import type { OpenSnapshot } from '../snapshot/snapshot.ts';
import { type ByWindow, partsByWindow } from '../walk/indexed-parts.ts';

/**
 * How much a read has to do, as far as that can be told without reading: `little` is done where it is asked for, the others
 * go to a thread, where `long` ones never keep `short` ones waiting.
 */
export type Work = 'little' | 'short' | 'long';

/** Microseconds that the steps of a read take on a usual core, about (docs/decisions/018-read-threads.md). */
const costs = {
  stream: 10,
  aggregated: 0.005,
  /** A raw value is written as well; those of several streams are put in order before. */
  raw: 0.05,
  ordered: 0.2,
  /** Some rows of the head that were written together. */
  section: 1,
  /** Some that the read does not want: it finds the others by column and time. */
  otherSection: 0.05,
  /** One of those that are looked at however few rows they have. */
  column: 0.5,
  /** A part whose index is not in memory. */
  cold: 100,
} as const;

/** Microseconds. */
const mostOfShort = 50_000;
/** The most streams that an estimate looks at: for more it would take long itself. */
const mostStreamsLookedAt = 100;
/** The most streams of a question of the store that does not go to a thread. */
const fewStreams = 8;
/** Of raw rows with a limit so many more are read of each stream. */
const rowsOfGroup = 8192;

/**
 * @param streams of each plan of the request, looked up when the snapshot was taken
 * @param mostOfLittle microseconds
 */
export function workOf(
  request: RowsRequest | EventsRequest,
  streams: readonly BoundStreams[],
  open: OpenSnapshot,
  mostOfLittle: number,
): Work {
  if (isAlwaysLong(request)) return 'long';
  let work = 0;
  for (const [place, plan] of request.plans.entries()) {
    const bound = streams[place]!;
    const looksBack = runsAlongRows(plan);
    // What looks back goes from `from` to the cursor again where that carries no state.
    const goesAgain =
      looksBack && !isAggregate(plan) && plan.after !== undefined && plan.after.state === undefined;
    const most =
      isAggregate(plan) || plan.limit === undefined || goesAgain ? Number.POSITIVE_INFINITY : plan.limit;
    const { count } = bound;
    // How far it looks back is found out by reading.
    if (looksBack) work = Math.max(work, mostOfLittle + 1);
    const cost =
      isAggregate(plan) && plan.calculated === undefined
        ? costs.aggregated
        : count > 1
          ? costs.ordered
          : costs.raw;
    work += count * costs.stream;
    if (count > mostStreamsLookedAt) return work > mostOfShort ? 'long' : 'short';
    const mostOfRows = cost * bound.parameters.length * (most + rowsOfGroup * count);
    work += Math.min(mostOfRows, costOfRows(bound, plan, open, cost, mostOfShort - work));
    if (work > mostOfShort) return 'long';
  }
  return work > mostOfLittle ? 'short' : 'little';
}

/** Whether a question that the store asks itself is answered in so many microseconds; more streams are not looked at. */
export function isLittleQuestion(question: OwnQuestion, open: OpenSnapshot, mostOfLittle: number): boolean {
  if (question.streams.length > fewStreams) return false;
  if (question.kind === 'lostRows' && hasPatterns(question.tagFilters)) return false;
  let work = 0;
  // What is left of a stream is found by all its sections.
  for (const { count } of open.snapshot.heads) work += costs.section * count;
  const range = question.kind === 'lostRows' ? question : { from: minTimestamp, to: maxTimestamp };
  for (const asked of question.streams) {
    if (work > mostOfLittle) return false;
    const [count, parameters] =
      'candidates' in asked
        ? [asked.candidates.length, asked.candidates]
        : [asked.parameters.size, asked.parameters];
    work += costs.stream + costs.column * count;
    // Those of many are not looked at.
    if (work > mostOfLittle) return false;
    const bound = { count: 1, streams: Uint32Array.of(asked.stream), parameters: [...parameters] };
    work += costOfRows(bound, range, open, costs.aggregated, mostOfLittle - work);
  }
  return work <= mostOfLittle;
}

/** Tables are exports; a pattern may take long for each row. */
export function isAlwaysLong(request: AnswerRequest): boolean {
  if (asksForTags(request) || (request.kind === 'rows' && request.form !== 'json')) return true;
  return request.plans.some(({ tagFilters }) => hasPatterns(tagFilters));
}

/** Of the rows of a plan's streams; no more than just over `most`. */
function costOfRows(
  { count, streams, parameters }: Pick<BoundStreams, 'count' | 'streams' | 'parameters'>,
  range: { readonly from: bigint; readonly to: bigint },
  { snapshot, readers }: OpenSnapshot,
  cost: number,
  most: number,
): number {
  const wanted = new Set(parameters.filter((number) => number !== undefined));
  const costOfRow = cost * wanted.size;
  let work = 0;
  const numbers = streams.subarray(0, count);
  for (const stream of numbers) {
    for (const view of snapshot.heads) {
      for (const rows of sectionsBetween(view, stream, range, wanted)) {
        work += rows === 0 ? costs.otherSection : costs.section + rows * costOfRow;
        if (work > most) return work;
      }
    }
  }
  const indexed = indexesOf(partsByWindow(snapshot, range), readers);
  work += indexed.cold * costs.cold;
  try {
    for (const { window, kept } of indexed.kept) {
      const inside = rangeInWindow(window, range.from, range.to)!;
      for (const stream of numbers) {
        const groups = groupsOf(kept.index, stream, inside.first, inside.last, wanted, window);
        for (const { rows, minOffset, maxOffset } of groups) {
          const span = Math.max(1, maxOffset - minOffset);
          const reach = Math.min(maxOffset, inside.last) - Math.max(minOffset, inside.first);
          work += rows * Math.min(1, Math.max(0, reach) / span) * costOfRow;
        }
        if (work > most) return work;
      }
    }
    return work;
  } finally {
    indexed.letGo();
  }
}

/**
 * The rows of each section of a stream that reaches into a time and has a wanted column; of others that have to be looked at 0.
 * Sections of other columns are passed over: a stream of a thousand channels has thousands of them.
 */
function* sectionsBetween(
  view: HeadView,
  stream: number,
  { from, to }: { readonly from: bigint; readonly to: bigint },
  wanted: ReadonlySet<number>,
): Generator<number> {
  const { words, index } = view;
  for (const section of sectionsWanted(view, stream, from, to, wanted)) {
    const at = index.sections[section]!;
    const rows = rowsExtent(words, at);
    const isRead =
      rows.last >= from && rows.first <= to && rowsParameters(words, at).some((number) => wanted.has(number));
    yield isRead ? rows.count : 0;
  }
}

/** The indexes that are in memory, and how many are not. */
function indexesOf(parts: ByWindow<Part>, readers: PartReaders) {
  const kept: { readonly window: number; readonly kept: CachedIndex; readonly unpin: () => void }[] = [];
  let cold = 0;
  for (const [window, ofWindow] of parts) {
    for (const part of ofWindow) {
      const reader = readers.opened(part);
      if (reader?.hasIndex() !== true) cold++;
      else {
        const index = reader.pinIndex() as CachedIndex;
        kept.push({ window, kept: index, unpin: () => reader.unpinIndex(index) });
      }
    }
  }
  return {
    kept,
    cold,
    letGo() {
      for (const { unpin } of kept) unpin();
    },
  };
}
