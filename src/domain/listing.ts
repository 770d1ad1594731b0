import type { EventDefinition, EventLevel, ParameterDefinition } from './definition.ts';
import type { Ordering, Paging } from './query.ts';
import type { Stream } from './stream.ts';

/** What values a parameter has; Unknown: it is defined and was never written. */
export const parameterTypes = ['Numeric', 'String', 'Binary', 'Unknown'] as const;
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
