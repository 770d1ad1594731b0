import type { ListedParameter } from '../domain/listing.ts';
import { familyNames } from '../wire/series/metric-family.ts';

/** What Prometheus tells of a metric. */
export interface MetricMetadata {
  readonly type: string;
  readonly help: string;
  readonly unit: string;
}

/** Returns what definitions say of metrics, by name; those of histograms and summaries as one, as they were written. */
export function metricMetadata(parameters: readonly ListedParameter[]): Map<string, MetricMetadata[]> {
  const found = new Map<string, MetricMetadata[]>();
  for (const { id, description = '', unit = '', customProperties } of parameters) {
    const type = typeOf(customProperties);
    if (type === 'unknown' && description === '' && unit === '') continue;
    const name = /histogram|summary/.test(type) ? familyNames(id).at(-1)! : id;
    const said = found.get(name) ?? [];
    found.set(name, said);
    const isKnown = said.some((one) => one.type === type && one.help === description && one.unit === unit);
    if (!isKnown) said.push({ type, help: description, unit });
  }
  return found;
}

/** The type that remote write noted. */
function typeOf(customProperties: string | undefined): string {
  try {
    const { type } = JSON.parse(customProperties ?? '{}') as { type?: unknown };
    return typeof type === 'string' ? type : 'unknown';
  } catch {
    return 'unknown';
  }
}
