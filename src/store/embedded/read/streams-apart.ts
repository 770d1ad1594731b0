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
import {
  type ByWindow,
  type IndexedPart,
  indexWindows,
  letGoOf,
  partsByWindow,
  scannedStreams,
  windowsInSpans,
} from '../walk/indexed-parts.ts';
import { mergeSources } from '../walk/overlap-merge.ts';
import { type HeadRows, loadable } from '../walk/sources.ts';
import { type GroupStep, groupStep, groupSteps, groupsOfRange, readAhead } from './aggregate-steps.ts';
import type { BoundStreams } from './bind-streams.ts';
import { JoinedGroups } from './joined-groups.ts';
import type { RowsOfStreams } from './merge-streams.ts';
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
  const rows = new RowsApart(range);
  let opened = 0;
  try {
    for (const step of readAhead(stepsOf({ snapshot, bound, parts, range }, order))) {
      if (step.kind === 'overlap') {
        for await (const group of mergedRows(step, numbers)) {
          yield* rows.of({ window: step.window, group });
          await pace();
        }
      } else {
        const encoded = step.kind === 'group' ? step.encoded : undefined;
        for (const found of rows.ofStep(step, encoded instanceof Promise ? await encoded : encoded))
          yield found;
      }
      if (step.kind === 'stream' && ++opened % streamsOfTurn !== 0) continue;
      const turn = pace();
      if (turn !== undefined) await turn;
    }
    yield* rows.begin([]);
  } finally {
    for (const ofWindow of indexed.values()) letGoOf(ofWindow);
  }
}

/** Rows of one stream after the other, as far as they are wanted. What comes of them holds until it is asked for more. */
class RowsApart {
  readonly #range: ApartRange;
  readonly #joined: JoinedGroups;
  #streams: readonly StreamKey[] = [];
  /** Whether rows of the stream were given. */
  #isBegun = false;

  constructor(range: ApartRange) {
    this.#range = range;
    this.#joined = new JoinedGroups(range.parameters);
  }

  /** @param view of a group */
  ofStep(step: Exclude<Step, Overlap>, view: EncodedGroup | undefined): readonly RowsOfStreams[] {
    if (step.kind === 'stream') return this.begin([step.key]);
    return step.kind === 'group'
      ? this.#ofGroup(step, view!)
      : this.of({ window: step.window, group: rowsOfHead(step) });
  }

  /** Begins a stream, and gives what is left of the one before. */
  begin(streams: readonly StreamKey[]): readonly RowsOfStreams[] {
    const apart = this.#isBegun ? 'part' : 'whole';
    const left = this.#placed(this.#joined.take(), apart);
    this.#streams = streams;
    this.#isBegun = false;
    return left;
  }

  #ofGroup({ group, hidden }: GroupStep, view: EncodedGroup): readonly RowsOfStreams[] {
    const tags = view.tags();
    const mayJoin = hidden.length === 0;
    if (mayJoin && this.#joined.add(group, view, tags)) return nothing;
    const before = this.#placed(this.#joined.take());
    if (mayJoin && this.#joined.add(group, view, tags)) return before;
    const { stream, rows: count } = view.handle;
    const { parameters } = this.#range;
    const columns = view.columns
      .filter(({ parameter }) => parameters.has(parameter))
      .map((entry) => view.values(entry));
    const stored = rowsInside({ stream, count, offsets: view.offsets(), ...tags, columns }, group.inside);
    const { window } = group;
    return [...before, ...this.#placed({ window, group: rowsOutside(stored, hidden) })];
  }

  of(rows: PlacedGroup): readonly RowsOfStreams[] {
    return [...this.#placed(this.#joined.take()), ...this.#placed(rows)];
  }

  #placed(rows: PlacedGroup | undefined, apart: 'part' | 'whole' = 'part'): readonly RowsOfStreams[] {
    if (rows === undefined) return nothing;
    const { wanted, countRows } = this.#range;
    countRows(rows.group.count);
    const group = dropEmptyRows(wanted === undefined ? rows.group : keepTags(rows.group, wanted));
    if (group.count === 0) return nothing;
    this.#isBegun = true;
    return [{ window: rows.window, group, streamIndex: undefined, streams: this.#streams, apart }];
  }
}

const nothing: readonly RowsOfStreams[] = [];

function mergedRows({ sources }: Overlap, numbers: readonly number[]): AsyncGenerator<RowGroup> {
  return mergeSources(
    sources.map((source) => loadable(source, numbers)),
    false,
  );
}

function rowsOfHead({ rows, isView }: HeadRows): RowGroup {
  return isView ? copyRows(rows, 0, rows.count) : rows;
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
