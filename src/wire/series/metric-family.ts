import type { ParameterDefinition } from '../../domain/definition.ts';

/** What other programs say of a metric. */
export interface MetricFamily {
  /** Such as `counter`; undefined where it is not known. */
  readonly type?: string | undefined;
  readonly help?: string | undefined;
  readonly unit?: string | undefined;
}

/** A definition of one parameter of one stream. */
export interface SeriesDefinition {
  readonly topic: string;
  readonly streamId: string;
  readonly definition: ParameterDefinition;
}

/** The same as we say it: help is the description, the type stands in the custom properties. Undefined where it says nothing. */
export function definitionOf(
  id: string,
  { help, unit, type, ...more }: MetricFamily & Readonly<Record<string, unknown>>,
): ParameterDefinition | undefined {
  const properties = Object.entries({ type, ...more }).filter(([, value]) => value !== undefined);
  const definition: ParameterDefinition = {
    id,
    ...(help !== undefined && help !== '' && { description: help }),
    ...(unit !== undefined && unit !== '' && { unit }),
    ...(properties.length > 0 && { customProperties: JSON.stringify(Object.fromEntries(properties)) }),
  };
  return Object.keys(definition).length > 1 ? definition : undefined;
}

/** The family of a series: histograms, summaries and counters add a word to its name. */
export function familyNames(name: string): string[] {
  const shorter = name.replace(/_(?:total|sum|count|bucket|created|info|gcount|gsum)$/, '');
  return shorter === name ? [name] : [name, shorter];
}
