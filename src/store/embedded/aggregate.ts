import type { ResultBlock } from '../../domain/result.ts';
import type { StreamKey } from '../../domain/stream.ts';
import { type Aggregator, createAggregator, type Extent } from '../../query/aggregator.ts';
import type { AggregatePlan } from '../../query/plan.ts';
import type { QueryMemory } from '../../query/query-memory.ts';
import type { KernelRows } from '../../query/runs.ts';
import type { BoundStreams } from './execute.ts';
import type { GroupView } from './group-view.ts';
import { mergeSources } from './overlap-merge.ts';
import { type Pace, paceReads } from './pace.ts';
import { dropEmptyRows } from './row-gather.ts';
import { partsByWindow, readable, type Snapshot } from './snapshot.ts';
import type { RowGroup } from './sorted-rows.ts';
import { createStoredRows, rowsOfView, type StoredRowsOf } from './stored-group-rows.ts';
import { loadIndexes, type Piece, piecesOf, type StoredPiece } from './stream-pieces.ts';
import { windowStart } from './windows.ts';

/** Runs an aggregating plan on a snapshot: stream by stream, so that what is in memory is a few blocks and the groups. */
export async function* aggregate(
  plan: AggregatePlan,
  bound: BoundStreams,
  snapshot: Snapshot,
  memory: QueryMemory,
  signal: AbortSignal,
): AsyncGenerator<ResultBlock> {
  const extent = extentOf(plan, bound);
  if (extent === undefined) return;
  const pace = paceReads(signal);
  const aggregator = createAggregator(plan, extent, memory);
  const parts = partsByWindow(snapshot.parts, plan);
  await loadIndexes(snapshot, parts.values());
  const feed = feeder(aggregator, bound.parameters, pace);
  const steps = readAhead(stepsOf(plan, bound, snapshot, parts));
  for (const step of steps) {
    const fed = feed(step);
    if (fed !== undefined) await fed;
    const turn = pace();
    if (turn !== undefined) await turn;
  }
  yield* aggregator.finish(pace);
}

/** Something to be done in order; a stored group may still be on its way from the disk. */
type Step =
  | { readonly kind: 'stream'; readonly key: StreamKey }
  | Exclude<Piece, { kind: 'stored' }>
  | { readonly kind: 'stored'; readonly piece: StoredPiece; readonly view: GroupView | Promise<GroupView> };

function* stepsOf(
  { from, to }: AggregatePlan,
  { streams, keys, parameters }: BoundStreams,
  snapshot: Snapshot,
  parts: ReturnType<typeof partsByWindow>,
): Generator<Step> {
  const numbers = parameters.filter((number) => number !== undefined);
  const range = { from, to, parameters: new Set(numbers) };
  const wanted = [...numbers].sort((a, b) => a - b);
  for (let i = 0; i < streams.length; i++) {
    yield { kind: 'stream', key: keys[i]! };
    for (const piece of piecesOf(snapshot, parts, streams[i]!, range, wanted)) {
      yield piece.kind === 'stored'
        ? { kind: 'stored', piece, view: startView(piece, range.parameters) }
        : piece;
    }
  }
}

function startView({ group }: StoredPiece, numbers: ReadonlySet<number>) {
  const { part, reader, handle } = group;
  const view = reader.view(handle, numbers);
  if (!(view instanceof Promise)) return view;
  const reading = readable(part, () => view);
  // A failure belongs to whoever waits for it; nobody may, when a read ends early.
  reading.catch(() => undefined);
  return reading;
}

/** Groups that are read while others are worked on. */
const stepsAhead = 16;

/** The same steps, begun before their turn comes. */
function* readAhead(steps: Iterator<Step>): Generator<Step> {
  const begun: Step[] = [];
  let at = 0;
  for (;;) {
    while (begun.length - at < stepsAhead) {
      const next = steps.next();
      if (next.done === true) break;
      begun.push(next.value);
    }
    if (at === begun.length) return;
    yield begun[at++]!;
    if (at === stepsAhead) {
      begun.splice(0, at);
      at = 0;
    }
  }
}

/** Gives what a step has to an aggregator; a promise where it has to be waited for. */
function feeder(aggregator: Aggregator, parameters: readonly (number | undefined)[], pace: Pace) {
  const storedRows: StoredRowsOf = createStoredRows(parameters);

  function addRows(window: number, group: RowGroup): void {
    const rows = dropEmptyRows(group);
    if (rows.count > 0) aggregator.add(kernelRows(window, rows, parameters));
  }

  function addView({ window, inside }: StoredPiece, view: GroupView): void {
    const rows = storedRows(view, window, inside);
    if (rows === 'none') return;
    if (rows === 'sparse') addRows(window, rowsOfView(view, parameters, inside));
    else aggregator.addStored(rows);
  }

  return (step: Step): Promise<void> | undefined => {
    switch (step.kind) {
      case 'stream':
        aggregator.openStream(step.key);
        return undefined;
      case 'rows':
        addRows(step.window, step.rows);
        return undefined;
      case 'stored':
        if (step.view instanceof Promise) return step.view.then((view) => addView(step.piece, view));
        addView(step.piece, step.view);
        return undefined;
      default:
        return merge(step.window, step.sources);
    }
  };

  async function merge(
    window: number,
    sources: Extract<Piece, { kind: 'overlap' }>['sources'],
  ): Promise<void> {
    for await (const group of mergeSources(sources, false)) {
      addRows(window, group);
      await pace();
    }
  }
}

function kernelRows(
  window: number,
  group: RowGroup,
  parameters: readonly (number | undefined)[],
): KernelRows {
  const { count, offsets, tagSets, tagIndex, columns } = group;
  return {
    count,
    base: windowStart(window),
    offsets,
    tagSets,
    tagIndex,
    columns: parameters.map((number) => columns.find(({ parameter }) => parameter === number)),
  };
}

/** From the first row of the selected streams to the last, as far as the plan wants them. */
function extentOf({ from, to }: AggregatePlan, { extents }: BoundStreams): Extent | undefined {
  let first: bigint | undefined;
  let last: bigint | undefined;
  for (const extent of extents) {
    if (first === undefined || extent.first < first) first = extent.first;
    if (last === undefined || extent.last > last) last = extent.last;
  }
  if (first === undefined || last === undefined) return undefined;
  return { first: first < from ? from : first, last: last > to ? to : last };
}
