import type { TSchema } from 'typebox';
import { Type } from './json-schema.ts';

/**
 * The models of the contract as JSON Schema, for `/openapi.json`. The byte scanners of wire/ are what validates;
 * a test holds each schema against its scanner. Names are given in camelCase; PascalCase is accepted too.
 */
export const text = (description: string) => Type.String({ description });
export const texts = (description: string) => Type.Array(Type.String(), { description });
export const mapOf = (value: TSchema, description: string) => Type.Record(value, { description });
export const choice = (words: readonly string[], description: string) =>
  Type.Unsafe({ type: 'string', enum: [...words], description });
export const object = (properties: Record<string, TSchema>, description: string) =>
  Type.Object(properties, { description, additionalProperties: false });
export const optional = Type.Optional;

export const age = (description: string) =>
  Type.String({ description: `${description}; digits and one of s m h d w y`, examples: ['30d'] });

export const nanoseconds = (description: string) =>
  Type.Unsafe({
    type: ['integer', 'string'],
    format: 'int64',
    description: `${description}; nanoseconds since the Unix epoch, exact, also as a string of digits`,
  });
export const number = Type.Unsafe({
  type: ['number', 'string', 'null'],
  description: 'A double; "NaN", "Infinity" and "-Infinity" as strings; null is no value',
});
export const textOrNull = Type.Unsafe({
  type: ['string', 'null'],
  description: 'null is no value',
});
export const base64OrNull = Type.Unsafe({
  type: ['string', 'null'],
  contentEncoding: 'base64',
  description: 'null is no value',
});

export const paging = object(
  {
    index: optional(Type.Integer({ minimum: 0, description: 'Number of the page, from 0' })),
    length: Type.Integer({ minimum: 1, description: 'Entries of a page' }),
  },
  'Page number from 0, and page size',
);

export const valueNames = {
  ...mapOf(Type.String(), 'Names of single values, each by its number'),
  examples: [{ 0: 'PIT', 1: 'OUT' }],
};

export const metadataEntries = Type.Array(
  Type.Object(
    { key: optional(text('Exact key')), value: optional(text('Exact value')) },
    { description: 'One entry: key, value or both', additionalProperties: false, minProperties: 1 },
  ),
);
