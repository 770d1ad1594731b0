import type { PlacedStream } from '../../../domain/listing.ts';
import type { StreamFilter } from '../../../domain/query.ts';
import { buildTree } from '../../../query/stream-tree.ts';
import type { CatalogState } from './catalog-state.ts';
import { orderedStreams, pageOf } from './select-streams.ts';
import { statusOf, toStream } from './stream-fields.ts';

/**
 * `/streams/models`: the streams that a filter selects, as a tree by their parents. Parents that are not selected do
 * not count; pages are of streams at the top, each with all that is below it.
 */
export function streamModels(
  state: CatalogState,
  workspace: string,
  filter: StreamFilter,
  now: number,
  interruptedAfterMs: number,
): PlacedStream[] {
  const statusAt = (stream: number) => statusOf(state, stream, now, interruptedAfterMs);
  const selected = orderedStreams(state, workspace, filter, statusAt);
  const tree = buildTree(selected.length, parentsAmong(state, selected));
  const placed: PlacedStream[] = [];
  for (const root of pageOf(tree.roots, filter.paging)) {
    for (const { index, depth } of tree.below(root)) {
      const stream = selected[index]!;
      placed.push({ stream: toStream(state, stream, statusAt(stream)), depth });
    }
  }
  return placed;
}

/** Where the parents of a stream stand in `selected`: of one id those of the same topic first. */
function parentsAmong(
  { streams }: CatalogState,
  selected: readonly number[],
): (index: number) => Generator<number> {
  const parentsOf = (stream: number) => streams.rows.properties[stream]?.parents ?? [];
  const places = new Map<string, number[]>();
  for (const stream of selected) {
    for (const parent of parentsOf(stream)) if (!places.has(parent)) places.set(parent, []);
  }
  if (places.size > 0) {
    for (let index = 0; index < selected.length; index++)
      places.get(streams.id(selected[index]!))?.push(index);
  }
  return function* (index) {
    const stream = selected[index]!;
    const isNear = (other: number) => streams.topic(selected[other]!) === streams.topic(stream);
    for (const parent of parentsOf(stream)) {
      const found = places.get(parent)!;
      yield* found.filter(isNear);
      yield* found.filter((other) => !isNear(other));
    }
  };
}
