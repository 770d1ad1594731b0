import type { TSchema } from 'typebox';

/**
 * JSON Schema as plain data. The words and the order of fields are TypeBox's, whose types the schemas have and whose
 * checks the tests run; TypeBox itself is 370 modules, a fifth of what a start loaded.
 */
type Options = Readonly<Record<string, unknown>>;

const optional = new WeakSet<TSchema>();

export const Type = {
  Array: (items: TSchema, options: Options = {}): TSchema => ({ type: 'array', items, ...options }),
  Boolean: (options: Options = {}): TSchema => ({ type: 'boolean', ...options }),
  Integer: (options: Options = {}): TSchema => ({ type: 'integer', ...options }),
  Number: (options: Options = {}): TSchema => ({ type: 'number', ...options }),
  String: (options: Options = {}): TSchema => ({ type: 'string', ...options }),
  Unknown: (options: Options = {}): TSchema => ({ ...options }),
  /** What no other word says. */
  Unsafe: (schema: Options): TSchema => schema,
  /** Any name, each with such a value. */
  Record: (value: TSchema, options: Options = {}): TSchema => ({
    type: 'object',
    patternProperties: { '^.*$': value },
    ...options,
  }),
  /** Properties are required unless they are optional. */
  Object(properties: Readonly<Record<string, TSchema>>, options: Options = {}): TSchema {
    const required = Object.keys(properties).filter((name) => !optional.has(properties[name]!));
    return { type: 'object', ...(required.length > 0 && { required }), properties, ...options };
  },
  Optional(schema: TSchema): TSchema {
    const made = { ...schema };
    optional.add(made);
    return made;
  },
};
