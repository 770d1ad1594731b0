import { Kind } from '../../../domain/parameter-data.ts';
import { sliceRows } from '../../../domain/slice-rows.ts';
import type { StreamKey } from '../../../domain/stream.ts';
import type { CountRows } from '../../../query/bounds/running-queries.ts';
import { sortRows } from '../../../query/groups/paced-sort.ts';
import type { TagPredicate } from '../../../query/plan/tag-predicate.ts';
import type { Pace } from '../../../turns/pace.ts';
import { PresenceForm } from '../codecs/presence-codec.ts';
import type { ColumnEntry } from '../codecs/row-group-directory.ts';
import type { EncodedGroup } from '../parts/encoded-group.ts';
import { copyRows, dropEmptyRows, keepTags } from '../rows/gather-rows.ts';
import { firstRowFrom, type GroupColumn, type RowGroup } from '../rows/row-group.ts';
import { rowsOutside } from '../rows/rows-outside.ts';
import type { OffsetRange } from '../rows/windows.ts';
import type { OpenSnapshot } from '../snapshot/snapshot.ts';
import { type GroupStep, groupStep, groupSteps, groupsOfRange, readAhead } from './aggregate-steps.ts';
import type { BoundStreams } from './bind-streams.ts';
import {
  type ByWindow,
  type IndexedPart,
  indexWindows,
  letGoOf,
  partsByWindow,
  scannedStreams,
  windowsInSpans,
} from './indexed-parts.ts';
import type { RowsOfStreams } from './merge-streams.ts';
import { mergeSources } from './overlap-merge.ts';
import { type HeadRows, loadable } from './sources.ts';
import { type Overlap, type PieceRange, piecesOf } from './stream-pieces.ts';

/** What is wanted of each stream, and whoever is told of it. */
export interface ApartRange extends PieceRange {
  /** Only rows with such tags; undefined means all. */
  readonly wanted?: TagPredicate | undefined;
  readonly pace: Pace;
  readonly countRows: CountRows;
}

type Step = { readonly kind: 'stream'; readonly key: StreamKey } | HeadRows | Overlap | GroupStep;

/** Streams that are opened between two calls of the pace. */
const streamsOfTurn = 32;

/**
 * The rows of streams, one after the other in the order in which they stand in parts. Parameters that no source of a stream has
 * together come apart; those of each come in order of time. Indexes of parts are in memory until the end.
 */
export async function* streamsApart(
  { snapshot, readers }: OpenSnapshot,
  bound: BoundStreams,
  range: ApartRange,
): AsyncGenerator<RowsOfStreams> {
  const { pace } = range;
  const order = await sortRows(bound.count, (a, b) => bound.streams[a]! - bound.streams[b]!, pace);
  const indexed = await indexWindows(readers, partsByWindow(snapshot, range), pace);
  const parts = bound.count >= scannedStreams ? windowsInSpans(indexed) : indexed;
  const numbers = [...range.parameters].sort((a, b) => a - b);
  const rowsOf = viewReader(range.parameters);
  let streams: readonly StreamKey[] = [];
  let opened = 0;
  try {
    for (const step of readAhead(stepsOf({ snapshot, bound, parts, range }, order))) {
      if (step.kind === 'stream') {
        streams = [step.key];
        if (++opened % streamsOfTurn !== 0) continue;
      } else if (step.kind === 'overlap') {
        yield* merged(step);
      } else {
        const group = groupOf(step);
        const window = step.kind === 'rows' ? step.window : step.group.window;
        const rows = placed(window, group instanceof Promise ? await group : group);
        if (rows !== undefined) yield rows;
      }
      const turn = pace();
      if (turn !== undefined) await turn;
    }
  } finally {
    for (const ofWindow of indexed.values()) letGoOf(ofWindow);
  }

  async function* merged({ window, sources }: Overlap): AsyncGenerator<RowsOfStreams> {
    const loaded = sources.map((source) => loadable(source, numbers));
    for await (const group of mergeSources(loaded, false)) {
      const rows = placed(window, group);
      if (rows !== undefined) yield rows;
      await pace();
    }
  }

  function groupOf(step: HeadRows | GroupStep): RowGroup | Promise<RowGroup> {
    if (step.kind === 'rows') return step.isView ? copyRows(step.rows, 0, step.rows.count) : step.rows;
    const { encoded, group, hidden } = step;
    if (encoded instanceof Promise) return encoded.then((view) => rowsOf(view, group.inside, hidden));
    return rowsOf(encoded, group.inside, hidden);
  }

  /** What is wanted of rows, with their stream; undefined where that is nothing. */
  function placed(window: number, group: RowGroup): RowsOfStreams | undefined {
    range.countRows(group.count);
    const shown = shownOf(group, range.wanted);
    return shown.count === 0
      ? undefined
      : { window, group: shown, streamIndex: undefined, streams, isApart: true };
  }
}

function shownOf(group: RowGroup, wanted: TagPredicate | undefined): RowGroup {
  return dropEmptyRows(wanted === undefined ? group : keepTags(group, wanted));
}

type RowsOfView = (view: EncodedGroup, inside: OffsetRange, hidden: readonly OffsetRange[]) => RowGroup;

/**
 * Gives the rows of views inside a range of offsets and outside of hidden ones. Columns of numbers are decoded to the same memory
 * again and again; rows of views with the same regular clock have the same offsets.
 */
function viewReader(parameters: ReadonlySet<number>): RowsOfView {
  const memory: Float64Array[] = [];
  let clock: Clock | undefined;

  function columnOf(view: EncodedGroup, entry: ColumnEntry, place: number): GroupColumn {
    if (entry.kind !== Kind.Numeric || entry.presenceForm !== PresenceForm.All) return view.values(entry);
    const { rows } = view.handle;
    if ((memory[place]?.length ?? 0) < rows) memory[place] = new Float64Array(rows);
    return view.values(entry, memory[place]);
  }

  return (view, inside, hidden) => {
    const { stream, rows } = view.handle;
    if (clock === undefined || !isClockOf(clock, view, inside)) clock = clockOf(view, inside);
    const { from, to, offsets } = clock;
    const columns: GroupColumn[] = [];
    for (const entry of view.columns)
      if (parameters.has(entry.parameter)) columns.push(columnOf(view, entry, columns.length));
    const { tagSets, tagIndex } = view.tags();
    const all = { stream, count: rows, offsets: clock.all, tagSets, tagIndex, columns };
    return rowsOutside({ ...sliceRows(all, from, to), offsets }, hidden);
  };
}

/** The rows of a row group inside a range of offsets. */
interface Clock {
  readonly view: EncodedGroup;
  readonly inside: OffsetRange;
  readonly from: number;
  readonly to: number;
  /** Of all rows, and of those inside. */
  readonly all: Float64Array;
  readonly offsets: Float64Array;
}

function clockOf(view: EncodedGroup, inside: OffsetRange): Clock {
  const all = view.offsets();
  const from = firstRowFrom(all, inside.first);
  const to = firstRowFrom(all, inside.last + 1);
  return {
    view,
    inside,
    from,
    to,
    all,
    offsets: from === 0 && to === all.length ? all : all.subarray(from, to),
  };
}

function isClockOf(clock: Clock, { step, handle }: EncodedGroup, { first, last }: OffsetRange): boolean {
  const { view, inside } = clock;
  return (
    step !== undefined &&
    step === view.step &&
    handle.minOffset === view.handle.minOffset &&
    handle.rows === view.handle.rows &&
    first === inside.first &&
    last === inside.last
  );
}

interface StepSource {
  readonly snapshot: OpenSnapshot['snapshot'];
  readonly bound: BoundStreams;
  readonly parts: ByWindow<IndexedPart>;
  readonly range: ApartRange;
}

function* stepsOf({ snapshot, bound, parts, range }: StepSource, order: Uint32Array): Generator<Step> {
  const { streams, ids, topics } = bound;
  for (const place of order) {
    yield { kind: 'stream', key: { streamId: ids[place]!, topic: topics[place]! } };
    for (const { pieces } of piecesOf(snapshot, parts, streams[place]!, range)) {
      for (const piece of pieces) {
        if (piece.kind === 'group') yield groupStep(piece, range.parameters);
        else if (piece.kind === 'range') yield* groupSteps(groupsOfRange(piece), range.parameters);
        else yield piece;
      }
    }
  }
}
