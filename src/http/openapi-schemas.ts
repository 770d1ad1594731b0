import * as alerts from './schemas/alerts.ts';
import * as calculated from './schemas/calculated.ts';
import * as listings from './schemas/listings.ts';
import * as readData from './schemas/read-data.ts';
import * as service from './schemas/service.ts';
import * as streams from './schemas/streams.ts';
import * as writtenData from './schemas/written-data.ts';

/** Every model of the contract by its name. */
export const models = {
  ...writtenData,
  ...streams,
  ...listings,
  ...calculated,
  ...readData,
  ...alerts,
  ...service,
};

/** The models of schemas/ as components: `Streams`, `ParameterData`, … */
export interface SchemaComponents {
  /** A schema as it stands in the document, with references to components in it. */
  use(schema: unknown): unknown;
  /** Every component that was used, by name. */
  all(): Record<string, unknown>;
}

/** The pattern of a map with any names; plainer to people and tools is `additionalProperties`. */
const anyName = '^.*$';

export function schemaComponents(): SchemaComponents {
  const names = new Map<unknown, string>();
  for (const [name, schema] of Object.entries(models)) {
    if (typeof schema === 'object' && 'type' in schema)
      names.set(schema, name[0]!.toUpperCase() + name.slice(1));
  }
  const used = new Map<string, unknown>();

  const use = (schema: unknown): unknown => {
    const name = names.get(schema);
    if (name === undefined) return copy(schema);
    if (!used.has(name)) {
      used.set(name, undefined);
      used.set(name, copy(schema));
    }
    return { $ref: `#/components/schemas/${name}` };
  };

  const copy = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(use);
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value).map(([key, inner]) => {
      const map = key === 'patternProperties' ? (inner as Record<string, unknown>)[anyName] : undefined;
      return map === undefined ? [key, use(inner)] : ['additionalProperties', use(map)];
    });
    return Object.fromEntries(entries);
  };

  return {
    use,
    all: () => Object.fromEntries([...used].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}
