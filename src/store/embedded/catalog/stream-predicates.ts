import { containsTest } from '../../../domain/listing.ts';
import { Kind } from '../../../domain/parameter-data.ts';
import type { StreamFilter } from '../../../domain/query.ts';
import type { Status } from '../../../domain/stream.ts';
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
  if (filter.location !== undefined) tests.push(locationTest(state, filter.location));
  if (filter.parameterIds !== undefined) tests.push(dataTest(state, filter.parameterIds, parameterKinds));
  if (filter.eventIds !== undefined) tests.push(dataTest(state, filter.eventIds, [Kind.Event]));
  for (const { key, value } of filter.metadata ?? []) tests.push(metadataTest(state, key, value));
  if (filter.name !== undefined) {
    const matches = containsTest(filter.name);
    tests.push((stream) => matches(nameOf(state, stream)));
  }
  if (filter.parentStreamId !== undefined) {
    const parent = filter.parentStreamId;
    tests.push((stream) => streams.rows.properties[stream]?.parents?.includes(parent) === true);
  }
  if (filter.search !== undefined) tests.push(searchTest(state, filter.search));
  const included = filter.includeStatuses;
  const excluded = filter.excludeStatuses;
  if (included !== undefined) tests.push((stream) => included.includes(statusAt(stream)));
  if (excluded !== undefined) tests.push((stream) => !excluded.includes(statusAt(stream)));
  return tests;
}

/** Prefix of the location with a slash at its end, so that `/one/` finds `/one` and not `/one111`. */
function locationTest(state: CatalogState, location: string): Predicate {
  const prefix = location.startsWith('/') ? location : `/${location}`;
  return (stream) => {
    const place = locationOf(state, stream);
    return (place.endsWith('/') ? place : `${place}/`).startsWith(prefix);
  };
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

function metadataTest(state: CatalogState, key: string | undefined, value: string | undefined): Predicate {
  return (stream) => {
    const metadata = state.streams.rows.properties[stream]?.metadata ?? {};
    if (key !== undefined)
      return Object.hasOwn(metadata, key) && (value === undefined || metadata[key] === value);
    return value === undefined || Object.values(metadata).includes(value);
  };
}

/** Every word stands, in any case, in the id, name, topic, location or metadata. */
function searchTest(state: CatalogState, search: string): Predicate {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return (stream) => {
    const properties = state.streams.rows.properties[stream];
    const text = [
      state.streams.id(stream),
      nameOf(state, stream),
      topicOf(state, stream),
      locationOf(state, stream),
      ...Object.entries(properties?.metadata ?? {}).flat(),
    ]
      .join('\n')
      .toLowerCase();
    return words.every((word) => text.includes(word));
  };
}
