import { eventLevels } from '../../../../src/domain/definition.ts';
import {
  type EventFilter,
  eventOrderings,
  type ListingFilter,
  type ParameterFilter,
  parameterOrderings,
  parameterTypes,
} from '../../../../src/domain/listing.ts';
import type { Ordering, StreamFilter } from '../../../../src/domain/query.ts';
import { statuses } from '../../../../src/domain/stream.ts';
import type { Random } from '../../embedded/random.ts';
import { locations, metadataKeys, names, parameterIds, topicNames } from './seed-catalog.ts';

const streamOrderings = [
  'streamId',
  'name',
  'topic',
  'createdAt',
  'lastUpdate',
  'timeOfRecording',
  'dataStart',
  'dataEnd',
  'status',
  'location',
  ...metadataKeys.map((key) => `metadata.${key}`),
];
const pieces = ['a', 'B', 'e', '', '\\', `'`, '{p0', '%', 'Α', 'ς', 'i', 'İ', '\u{1F600}', 'car', 'Car'];

function some<T>(random: Random, of: readonly T[]): T[] {
  const picked = of.filter(() => random.chance(0.3));
  return picked.length > 0 ? picked : [random.pick(of)];
}

function anyCase(random: Random, text: string): string {
  return random.chance(0.5) ? text.toUpperCase() : text;
}

function page(random: Random, by: readonly string[]) {
  const ordering = Array.from(
    { length: random.int(1, 3) },
    (): Ordering => ({ by: random.pick(by), direction: random.pick(['Asc', 'Desc'] as const) }),
  );
  return {
    ...(random.chance(0.6) && { ordering }),
    ...(random.chance(0.4) && { paging: { index: random.int(0, 3), length: random.int(1, 5) } }),
  };
}

function listing(random: Random): ListingFilter {
  return {
    ...(random.chance(0.2) && { streamIds: some(random, names) }),
    ...(random.chance(0.2) && { topic: anyCase(random, random.pick(topicNames)) }),
    ...(random.chance(0.2) && { topics: some(random, topicNames).map((topic) => anyCase(random, topic)) }),
    ...(random.chance(0.2) && { location: random.pick(locations) }),
  };
}

export function randomStreamFilter(random: Random): StreamFilter {
  const metadata = Array.from({ length: random.int(1, 2) }, () => ({
    ...(random.chance(0.7) && { key: random.pick(metadataKeys) }),
    ...(random.chance(0.3) && { value: random.pick(['', 'x', '\u0000', ...names]) }),
  }));
  return {
    ...listing(random),
    ...(random.chance(0.15) && { parameterIds: some(random, parameterIds) }),
    ...(random.chance(0.15) && { eventIds: some(random, parameterIds) }),
    ...(random.chance(0.15) && { metadata }),
    ...(random.chance(0.2) && { includeStatuses: some(random, statuses) }),
    ...(random.chance(0.2) && { excludeStatuses: some(random, statuses) }),
    ...(random.chance(0.2) && { name: random.pick(pieces) }),
    ...(random.chance(0.1) && { parentStreamId: random.pick(names) }),
    ...(random.chance(0.2) && { search: `${random.pick(pieces)} \t${random.pick(pieces)}` }),
    ...page(random, [...streamOrderings, 'nothing']),
  };
}

function texts(random: Random) {
  return {
    ...(random.chance(0.2) && { name: random.pick(pieces) }),
    ...(random.chance(0.2) && { description: random.pick(pieces) }),
    ...(random.chance(0.1) && { customProperties: random.pick(pieces) }),
  };
}

export function randomParameterFilter(random: Random): ParameterFilter {
  return {
    ...listing(random),
    ...texts(random),
    ...(random.chance(0.2) && { parameterIds: some(random, parameterIds) }),
    ...(random.chance(0.2) && { unit: random.pick(pieces) }),
    ...(random.chance(0.2) && { includeTypes: some(random, parameterTypes) }),
    ...page(random, parameterOrderings),
  };
}

export function randomEventFilter(random: Random): EventFilter {
  return {
    ...listing(random),
    ...texts(random),
    ...(random.chance(0.2) && { eventIds: some(random, parameterIds) }),
    ...(random.chance(0.2) && { includeLevels: some(random, eventLevels) }),
    ...(random.chance(0.2) && { excludeLevels: some(random, eventLevels) }),
    ...page(random, eventOrderings),
  };
}
