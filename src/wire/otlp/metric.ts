import type { TagPair } from '../../domain/tags.ts';

/** Kinds of metrics. */
export type MetricKind = 'gauge' | 'sum' | 'histogram' | 'exponentialHistogram' | 'summary';

/** What is said of a metric besides its points. */
export interface MetricHead {
  readonly name: string;
  readonly description: string;
  readonly unit: string;
  readonly kind: MetricKind;
  readonly isMonotonic: boolean;
  readonly temporality: 'delta' | 'cumulative' | undefined;
}

/** What is said of an instrumentation scope; no attributes where it says nothing. */
export interface Scope {
  readonly key: string;
  readonly tags: readonly TagPair[];
}

/** Parts of metrics that are more than one number, and whether they have its unit. */
export const parts = {
  count: false,
  sum: true,
  min: true,
  max: true,
  bucket: false,
  quantile: true,
} as const;
export type Part = keyof typeof parts;

/** What tells metrics of this scope from those of others that have the same names. */
export function scopeOf(name: string, version: string, attributes: readonly TagPair[]): Scope {
  const tags: TagPair[] = [
    ['otel.scope.name', name],
    ['otel.scope.version', version],
    ...attributes.map(([key, value]): TagPair => [`otel.scope.${key}`, value]),
  ];
  return { key: JSON.stringify(tags), tags: tags.filter(([, value]) => value !== '') };
}

export const noScope = scopeOf('', '', []);

export const longestPart = '.quantile'.length;

export const partsOf: Readonly<Record<Exclude<MetricKind, 'gauge' | 'sum'>, readonly Part[]>> = {
  histogram: ['count', 'sum', 'min', 'max', 'bucket'],
  exponentialHistogram: ['count', 'sum', 'min', 'max', 'bucket'],
  summary: ['count', 'sum', 'quantile'],
};

export function namesOf(name: string): Readonly<Record<Part, string>> {
  return {
    count: `${name}.count`,
    sum: `${name}.sum`,
    min: `${name}.min`,
    max: `${name}.max`,
    bucket: `${name}.bucket`,
    quantile: `${name}.quantile`,
  };
}

export const noNames = namesOf('');

/** As Prometheus calls them, whose metrics have such definitions too. */
export function typeOf(kind: MetricKind, isMonotonic: boolean): string {
  if (kind === 'sum') return isMonotonic ? 'counter' : 'gauge';
  return kind === 'exponentialHistogram' ? 'histogram' : kind;
}
