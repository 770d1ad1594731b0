import type { EventDefinition, EventLevel, ParameterDefinition, ValueNames } from '../domain/definition.ts';
import type { Aggregation, Direction, Interpolation, TagOperator } from '../domain/query.ts';
import type { EndType, Status } from '../domain/stream.ts';

/**
 * What goes over the wire, as a program has it: timestamps are bigints (nanoseconds since the Unix epoch), numbers are
 * numbers with NaN and the infinities among them, binaries are bytes, null is no value.
 */
export type {
  Aggregation,
  Direction,
  EndType,
  EventDefinition,
  EventLevel,
  Interpolation,
  ParameterDefinition,
  Status,
  TagOperator,
  ValueNames,
};

export interface Ordering {
  readonly by: string;
  readonly direction?: Direction;
}

/** Fields combine with AND, entries of one array with OR, `metadata` entries with AND. */
export interface StreamFilter {
  readonly streamIds?: readonly string[];
  readonly location?: string;
  readonly topic?: string;
  readonly topics?: readonly string[];
  readonly parameterIds?: readonly string[];
  readonly eventIds?: readonly string[];
  readonly metadata?: readonly { readonly key?: string; readonly value?: string }[];
  readonly includeStatuses?: readonly Status[];
  readonly excludeStatuses?: readonly Status[];
  readonly name?: string;
  readonly parentStreamId?: string;
  readonly search?: string;
  readonly ordering?: readonly Ordering[];
  readonly paging?: { readonly index: number; readonly length: number };
}

export interface StreamInfo {
  readonly streamId: string;
  readonly name: string;
  readonly topic: string;
  /** ISO 8601 UTC, as are `lastUpdate` and `timeOfRecording`. */
  readonly createdAt: string;
  readonly lastUpdate: string;
  readonly timeOfRecording?: string;
  /** Times of the first and the last row; absent while there is none. */
  readonly dataStart?: bigint;
  readonly dataEnd?: bigint;
  readonly status: Status;
  readonly metadata: Readonly<Record<string, string>>;
  readonly parents: readonly string[];
  readonly location: string;
}

export interface StreamProperties {
  readonly name?: string;
  readonly location?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly parents?: readonly string[];
  /** ISO 8601. */
  readonly timeOfRecording?: string;
}

export interface DefinitionFilter {
  readonly streamIds?: readonly string[];
  readonly topic?: string;
  readonly topics?: readonly string[];
  readonly location?: string;
  readonly name?: string;
  readonly description?: string;
  readonly customProperties?: string;
  readonly ordering?: readonly Ordering[];
  readonly paging?: { readonly index: number; readonly length: number };
}

export interface ParameterFilter extends DefinitionFilter {
  readonly parameterIds?: readonly string[];
  readonly unit?: string;
  readonly includeTypes?: readonly ParameterType[];
}

export type ParameterType = 'Numeric' | 'String' | 'Binary' | 'Unknown' | 'Calculated';

export interface ParameterInfo extends Omit<ParameterDefinition, 'id'> {
  readonly parameterId: string;
  readonly type: ParameterType;
  /** Of a calculated one. */
  readonly expression?: string;
  readonly streamIds: readonly string[];
}

export interface EventFilter extends DefinitionFilter {
  readonly eventIds?: readonly string[];
  readonly includeLevels?: readonly EventLevel[];
  readonly excludeLevels?: readonly EventLevel[];
}

export interface TopicInfo {
  readonly name: string;
  readonly streams: number;
  readonly dataStart?: bigint;
  readonly dataEnd?: bigint;
  readonly lastUpdate?: string;
}

export interface TagInfo {
  readonly name: string;
  /** How many distinct ones it has, counted up to 1,000. */
  readonly values: number;
  /** The first and the last of those that were counted, in order of text. */
  readonly first: string;
  readonly last: string;
}

/** A column that is calculated, such as `{ name: 'Metres per second', expression: 'Speed / 3.6' }`. */
export interface CalculatedParameter {
  /** No other numeric column has it. */
  readonly name: string;
  /** docs/query.md says what it may be. */
  readonly expression: string;
  /** None, row by row, without it. */
  readonly aggregationType?: Aggregation;
}

/** A calculated parameter that a topic keeps. */
export interface CalculatedDefinition
  extends Pick<
    ParameterDefinition,
    'id' | 'name' | 'description' | 'unit' | 'minimumValue' | 'maximumValue' | 'valueNames' | 'location'
  > {
  /** It may use others of the topic, not in circles. */
  readonly expression: string;
}

export interface RequestedParameter {
  readonly parameterName: string;
  /** None, the rows as they were written, without it. */
  readonly aggregationType?: Aggregation;
}

export interface TagFilter {
  readonly tag: string;
  readonly operator?: TagOperator;
  readonly value: string | number | readonly (string | number)[];
}

/** Which rows; times are inclusive. */
export interface RowSelection {
  readonly from?: bigint;
  readonly to?: bigint;
  readonly streamIds?: readonly string[];
  readonly topic?: string;
  readonly tagFilters?: readonly TagFilter[];
}

export interface ParameterDataQuery extends RowSelection {
  readonly numericParameters?: readonly RequestedParameter[];
  readonly stringParameters?: readonly RequestedParameter[];
  readonly binaryParameters?: readonly RequestedParameter[];
  /** Columns that are worked out from numeric parameters; they stand in `numericValues`. */
  readonly calculatedParameters?: readonly CalculatedParameter[];
  /** Names stand for what was written only, also where a topic calculates them. @default false */
  readonly writtenOnly?: boolean;
  readonly groupBy?: readonly string[];
  readonly groupByTime?: {
    /** Nanoseconds. */
    readonly timeBucketDuration: bigint | number;
    readonly interpolationType?: Interpolation;
    /** With `Previous`: whether the last value before `from` counts too. @default false */
    readonly lookBack?: boolean;
  };
  readonly limit?: number;
  readonly order?: Direction;
  readonly cursor?: string;
}

/** Rows, column by column: every array has one element per timestamp. */
export interface ParameterData {
  readonly timestamps: readonly bigint[];
  readonly numericValues: Readonly<Record<string, readonly (number | null)[]>>;
  readonly stringValues: Readonly<Record<string, readonly (string | null)[]>>;
  readonly binaryValues: Readonly<Record<string, readonly (Uint8Array | null)[]>>;
  readonly tagValues: Readonly<Record<string, readonly (string | null)[]>>;
}

/** Parameter data to write; what is left out is empty. */
export type NewParameterData = Pick<ParameterData, 'timestamps'> &
  Partial<Omit<ParameterData, 'timestamps'>> & { readonly epoch?: bigint };

export interface EventDataQuery extends RowSelection {
  readonly eventIds?: readonly string[];
  readonly groupBy?: readonly string[];
  readonly aggregation?: {
    readonly aggregationType: Aggregation;
    /** Nanoseconds. */
    readonly interval?: bigint | number;
  };
}

export interface EventRow {
  readonly timestamp: bigint;
  readonly value: string | number;
  readonly tags: Readonly<Record<string, string>>;
}

export interface NewEvent {
  readonly id: string;
  readonly timestamp: bigint;
  readonly value?: string;
  readonly tags?: Readonly<Record<string, string>>;
}
