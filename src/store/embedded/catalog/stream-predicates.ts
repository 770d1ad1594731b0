import { containsTest } from '../../../domain/listing.ts';
import { Kind } from '../../../domain/parameter-data.ts';
import type { StreamFilter } from '../../../domain/query.ts';
import type { Status } from '../../../domain/stream.ts';
import { locationTest, metadataTest, wordsTest } from '../../../domain/stream-tests.ts';
import type { CatalogState } from './catalog-state.ts';
import { visibleParameters } from './retention.ts';
import { locationOf, nameOf, topicOf } from './stream-fields.ts';

const parameterKinds = [Kind.Numeric, Kind.String, Kind.Binary];

export type Predicate = (stream: number) => boolean;

/** One test per field of the filter; all of them have to hold. */
export function predicates(
  state: CatalogState,
  filter: StreamFilter,
  statusAt: (stream: number) => Status,
): Predicate[] {
  const { streams } = state;
  const tests: Predicate[] = [];
  const metadataOf = (stream: number) => streams.rows.properties[stream]?.metadata ?? {};
  if (filter.location !== undefined) {
    const isBelow = locationTest(filter.location);
    tests.push((stream) => isBelow(locationOf(state, stream)));
  }
  if (filter.parameterIds !== undefined) tests.push(dataTest(state, filter.parameterIds, parameterKinds));
  if (filter.eventIds !== undefined) tests.push(dataTest(state, filter.eventIds, [Kind.Event]));
  for (const entry of filter.metadata ?? []) {
    const hasEntry = metadataTest(entry);
    tests.push((stream) => hasEntry(metadataOf(stream)));
  }
  if (filter.name !== undefined) {
    const matches = containsTest(filter.name);
    tests.push((stream) => matches(nameOf(state, stream)));
  }
  if (filter.parentStreamId !== undefined) {
    const parent = filter.parentStreamId;
    tests.push((stream) => streams.rows.properties[stream]?.parents?.includes(parent) === true);
  }
  if (filter.search !== undefined) {
    const hasWords = wordsTest(filter.search);
    tests.push((stream) =>
      hasWords({
        streamId: streams.id(stream),
        name: nameOf(state, stream),
        topic: topicOf(state, stream),
        location: locationOf(state, stream),
        metadata: metadataOf(stream),
      }),
    );
  }
  const included = filter.includeStatuses;
  const excluded = filter.excludeStatuses;
  if (included !== undefined) tests.push((stream) => included.includes(statusAt(stream)));
  if (excluded !== undefined) tests.push((stream) => !excluded.includes(statusAt(stream)));
  return tests;
}

/** Has data of any of these names, in any of these kinds. */
function dataTest(state: CatalogState, names: readonly string[], kinds: readonly Kind[]): Predicate {
  const numbers = names.flatMap((name) =>
    kinds.map((kind) => state.parametersByName[kind].get(name)?.number ?? 0),
  );
  const known = numbers.filter((number) => number > 0);
  return (stream) => {
    const written = visibleParameters(state, stream);
    return known.some((number) => state.sets.has(written, number));
  };
}
