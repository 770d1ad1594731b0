import type { PlacedStream } from '../../../domain/listing.ts';
import type { StreamFilter } from '../../../domain/query.ts';
import { treeInSteps } from '../../../query/groups/stream-tree.ts';
import type { Steps } from '../../../turns/steps.ts';
import type { CatalogState } from './catalog-state.ts';
import { streamsOfStep } from './one-moment.ts';
import { streamOrder } from './ordered-streams.ts';
import { pageOf, selectedStreams } from './select-streams.ts';
import { statusOf, toStream } from './stream-fields.ts';

/**
 * `/streams/models`: the streams that a filter selects, as a tree by their parents. Parents that are not selected do
 * not count; pages are of streams at the top, each with all that is below it.
 */
export function* streamModels(
  state: CatalogState,
  workspace: string,
  filter: StreamFilter,
  now: number,
  interruptedAfterMs: number,
): Steps<PlacedStream[]> {
  const statusAt = (stream: number) => statusOf(state, stream, now, interruptedAfterMs);
  const found = yield* selectedStreams(state, workspace, filter, statusAt);
  const { properties } = state.streams.rows;
  const hasParents = found.some((stream) => properties[stream]?.parents !== undefined);
  // Without parents all stand at the top, and none but the page has to be put in order.
  const order = streamOrder(state, filter.ordering, hasParents ? undefined : filter.paging, statusAt);
  let added = 0;
  for (const stream of found) {
    order.add(stream);
    if (++added % streamsOfStep === 0) yield;
  }
  const selected = yield* order.page();
  const placed: PlacedStream[] = [];
  const place = (stream: number, depth: number) =>
    placed.push({ stream: toStream(state, stream, statusAt(stream)), depth });
  if (!hasParents) {
    for (const stream of selected) if (place(stream, 0) % streamsOfStep === 0) yield;
    return placed;
  }
  const tree = yield* treeInSteps(selected.length, yield* parentsAmong(state, selected));
  for (const root of pageOf(tree.roots, filter.paging)) {
    for (const { index, depth } of tree.below(root))
      if (place(selected[index]!, depth) % streamsOfStep === 0) yield;
  }
  return placed;
}

/** Where the parents of a stream stand in `selected`: of one id those of the same topic first. */
function* parentsAmong(
  { streams }: CatalogState,
  selected: readonly number[],
): Steps<(index: number) => Generator<number>> {
  const parentsOf = (stream: number) => streams.rows.properties[stream]?.parents ?? [];
  const places = new Map<string, number[]>();
  for (const [index, stream] of selected.entries()) {
    for (const parent of parentsOf(stream)) if (!places.has(parent)) places.set(parent, []);
    if ((index + 1) % streamsOfStep === 0) yield;
  }
  for (const [index, stream] of selected.entries()) {
    places.get(streams.id(stream))?.push(index);
    if ((index + 1) % streamsOfStep === 0) yield;
  }
  return function* (index) {
    const stream = selected[index]!;
    const isNear = (other: number) => streams.topic(selected[other]!) === streams.topic(stream);
    for (const parent of parentsOf(stream)) {
      // It may have become one meanwhile.
      const found = places.get(parent) ?? [];
      yield* found.filter(isNear);
      yield* found.filter((other) => !isNear(other));
    }
  };
}
