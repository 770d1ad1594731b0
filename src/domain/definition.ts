import type { ParameterKey } from './parameter-data.ts';
import type { Stream } from './stream.ts';

/** How severe an event is, in ascending order. */
export const eventLevels = ['Trace', 'Debug', 'Information', 'Warning', 'Error', 'Critical'] as const;
export type EventLevel = (typeof eventLevels)[number];

/** Names of numbers, such as those of states; each by its number as text, in no order. */
export type ValueNames = Readonly<Record<string, string>>;

/** The most names of values: as many as a number of 16 bits has. */
export const mostValueNames = 65_536;

export function valueNamesFrom(names: ReadonlyMap<number, string>): ValueNames {
  return Object.fromEntries([...names].map(([number, name]) => [String(number), name]));
}

/** What a client says about a parameter of a stream. A parameter may have data and no definition, and the reverse. */
export interface ParameterDefinition {
  readonly id: string;
  readonly name?: string;
  readonly description?: string;
  /** The range that values are expected in; finite. */
  readonly minimumValue?: number;
  readonly maximumValue?: number;
  /** What single values are called. */
  readonly valueNames?: ValueNames;
  readonly unit?: string;
  /** How clients should show values. */
  readonly format?: string;
  /** Free text, often JSON. */
  readonly customProperties?: string;
  /** Place in a tree of parameters; begins with `/`. */
  readonly location?: string;
}

/** A parameter that is calculated for all streams of a topic, and what a client says about it. */
export interface CalculatedDefinition
  extends Pick<
    ParameterDefinition,
    'id' | 'name' | 'description' | 'unit' | 'minimumValue' | 'maximumValue' | 'valueNames' | 'location'
  > {
  /** At most 1,024 characters; it can be parsed. */
  readonly expression: string;
}

/** What a client says about an event of a stream. */
export interface EventDefinition {
  readonly id: string;
  readonly name?: string;
  readonly description?: string;
  readonly customProperties?: string;
  readonly location?: string;
  readonly level?: EventLevel;
}

/** All that the catalogue knows about one stream. */
export interface StreamDescription {
  readonly stream: Stream;
  /** What the stream has data of, events left out. */
  readonly parameters: readonly ParameterKey[];
  /** The events that the stream has data of. */
  readonly eventIds: readonly string[];
  /** Ordered by id. */
  readonly parameterDefinitions: readonly ParameterDefinition[];
  readonly eventDefinitions: readonly EventDefinition[];
}

/** What is merged into a definition: null takes a field away. Clients cannot say it. */
export type DefinitionChange<Definition extends { readonly id: string }> = {
  readonly [Field in keyof Definition]: Definition[Field] | (Field extends 'id' ? never : null);
};

/** Definitions merge field by field: what `later` leaves out stays. */
export function mergeDefinition<Definition extends { readonly id: string }>(
  earlier: Definition | undefined,
  later: DefinitionChange<Definition>,
): Definition {
  return withoutNull({ ...earlier, ...later } as DefinitionChange<Definition>);
}

/** Returns the definition that a change says by itself. */
export function withoutNull<Definition extends { readonly id: string }>(
  change: DefinitionChange<Definition>,
): Definition {
  const fields = Object.entries(change);
  return (
    fields.some(isNull) ? Object.fromEntries(fields.filter((field) => !isNull(field))) : change
  ) as Definition;
}

function isNull([, value]: [string, unknown]): boolean {
  return value === null;
}
