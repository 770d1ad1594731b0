import type { StreamKey } from '../../../domain/stream.ts';
import type { CountRows } from '../../../query/bounds/running-queries.ts';
import { sortRows } from '../../../query/groups/paced-sort.ts';
import type { TagPredicate } from '../../../query/plan/tag-predicate.ts';
import type { Pace } from '../../../turns/pace.ts';
import type { EncodedGroup } from '../parts/encoded-group.ts';
import { copyRows, dropEmptyRows, keepTags } from '../rows/gather-rows.ts';
import { type PlacedGroup, type RowGroup, rowsInside } from '../rows/row-group.ts';
import { rowsOutside } from '../rows/rows-outside.ts';
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
import { JoinedGroups } from './joined-groups.ts';
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
  const joined = new JoinedGroups(range.parameters);
  let streams: readonly StreamKey[] = [];
  let opened = 0;
  try {
    for (const step of readAhead(stepsOf({ snapshot, bound, parts, range }, order))) {
      if (step.kind === 'stream') {
        yield* placed(joined.take());
        streams = [step.key];
        if (++opened % streamsOfTurn !== 0) continue;
      } else if (step.kind === 'group') {
        const { encoded } = step;
        yield* rowsOfGroup(step, encoded instanceof Promise ? await encoded : encoded);
      } else {
        yield* placed(joined.take());
        if (step.kind === 'overlap') yield* merged(step);
        else yield* placed({ window: step.window, group: rowsOfHead(step) });
      }
      const turn = pace();
      if (turn !== undefined) await turn;
    }
    yield* placed(joined.take());
  } finally {
    for (const ofWindow of indexed.values()) letGoOf(ofWindow);
  }

  async function* merged({ window, sources }: Overlap): AsyncGenerator<RowsOfStreams> {
    const loaded = sources.map((source) => loadable(source, numbers));
    for await (const group of mergeSources(loaded, false)) {
      yield* placed({ window, group });
      await pace();
    }
  }

  function* rowsOfGroup({ group, hidden }: GroupStep, view: EncodedGroup): Generator<RowsOfStreams> {
    const tags = view.tags();
    const mayJoin = hidden.length === 0;
    if (mayJoin && joined.add(group, view, tags)) return;
    // They have to be taken before others come to their memory.
    yield* placed(joined.take());
    if (mayJoin && joined.add(group, view, tags)) return;
    const { stream, rows: count } = view.handle;
    const entries = view.columns.filter(({ parameter }) => range.parameters.has(parameter));
    const columns = entries.map((entry) => view.values(entry));
    const stored = rowsInside({ stream, count, offsets: view.offsets(), ...tags, columns }, group.inside);
    yield* placed({ window: group.window, group: rowsOutside(stored, hidden) });
  }

  /** What is wanted of rows, with their stream. */
  function* placed(rows: PlacedGroup | undefined): Generator<RowsOfStreams> {
    if (rows === undefined) return;
    range.countRows(rows.group.count);
    const group = shownOf(rows.group, range.wanted);
    if (group.count > 0) yield { window: rows.window, group, streamIndex: undefined, streams, isApart: true };
  }
}

function rowsOfHead({ rows, isView }: HeadRows): RowGroup {
  return isView ? copyRows(rows, 0, rows.count) : rows;
}

function shownOf(group: RowGroup, wanted: TagPredicate | undefined): RowGroup {
  return dropEmptyRows(wanted === undefined ? group : keepTags(group, wanted));
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
