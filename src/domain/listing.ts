import type { EventDefinition, EventLevel, ParameterDefinition } from './definition.ts';
import type { ParameterKey } from './parameter-data.ts';
import type { Ordering, Paging } from './query.ts';
import type { Stream } from './stream.ts';

/**
 * What values a parameter has; Unknown: it is defined and was never written. Calculated: its topic keeps an expression for it;
 * stores list none of these.
 */
export const parameterTypes = ['Numeric', 'String', 'Binary', 'Unknown', 'Calculated'] as const;
export type ParameterType = (typeof parameterTypes)[number];

/**
 * What `/parameters` and `/events` have in common: the streams whose definitions and data count, and conditions on
 * the texts of a definition (contains; case matters only if the wanted text has a capital).
 */
export interface ListingFilter {
  readonly streamIds?: readonly string[];
  readonly topic?: string;
  readonly topics?: readonly string[];
  /** Prefix of the stream's location, as in StreamFilter. */
  readonly location?: string;
  readonly name?: string;
  readonly description?: string;
  readonly customProperties?: string;
  readonly ordering?: readonly Ordering[];
  readonly paging?: Paging;
}

export interface ParameterFilter extends ListingFilter {
  readonly parameterIds?: readonly string[];
  readonly unit?: string;
  readonly includeTypes?: readonly ParameterType[];
}

export interface EventFilter extends ListingFilter {
  readonly eventIds?: readonly string[];
  readonly includeLevels?: readonly EventLevel[];
  readonly excludeLevels?: readonly EventLevel[];
}

/** A parameter, of all streams whose definitions of it are the same. `name` is the id where no one gave a name. */
export interface ListedParameter extends ParameterDefinition {
  readonly name: string;
  readonly type: ParameterType;
  /** Of a calculated one. */
  readonly expression?: string;
  /** Each once, in the order in which the streams came into being. */
  readonly streamIds: readonly string[];
}

export interface ListedEvent extends EventDefinition {
  readonly name: string;
  readonly streamIds: readonly string[];
}

/** Fields that `/parameters` and `/events` can be ordered by. */
export const parameterOrderings = [
  'parameterId',
  'name',
  'description',
  'minimumValue',
  'maximumValue',
  'unit',
  'format',
  'customProperties',
  'location',
  'type',
] as const;
export const eventOrderings = ['id', 'name', 'description', 'customProperties', 'location', 'level'] as const;

/** A parameter that a query names and no selected stream has, and the one of theirs with the nearest name. */
export interface UnknownParameter {
  readonly key: ParameterKey;
  readonly nearest: ParameterKey | undefined;
}

/** A tag that rows or events have. */
export interface ListedTag {
  readonly name: string;
  /** How many distinct ones it has, counted up to 1,000. */
  readonly values: number;
  /** The first and the last of those that were counted, in order of text. */
  readonly first: string;
  readonly last: string;
}

/** A topic and its streams, soft-deleted ones left out. */
export interface TopicSummary {
  /** As it was first spelt. */
  readonly name: string;
  readonly streams: number;
  /** Nanoseconds, both undefined while there is no data. */
  readonly dataStart: bigint | undefined;
  readonly dataEnd: bigint | undefined;
  /** Milliseconds since the Unix epoch, undefined while there are no streams. */
  readonly lastUpdate: number | undefined;
}

/** A stream in a tree that is written from its top, each stream before its children. */
export interface PlacedStream {
  readonly stream: Stream;
  /** 0 at the top; at most one more than that of the stream before. */
  readonly depth: number;
}

/** Contains; case matters only if the wanted text has a capital. */
export function containsTest(wanted: string): (text: string) => boolean {
  if (wanted !== wanted.toLowerCase()) return (text) => text.includes(wanted);
  return (text) => text.toLowerCase().includes(wanted);
}
