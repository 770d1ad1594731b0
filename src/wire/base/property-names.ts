import { fault } from './fault.ts';
import { excerpt } from './name.ts';
import { nearest } from './nearest.ts';

/** The properties that an object may have, each spelt in camelCase or PascalCase. */
export interface PropertyNames<Name extends string> {
  readonly known: readonly Name[];
  readonly bySpelling: ReadonlyMap<string, Name>;
}

/** `known` in camelCase. */
export function propertyNames<Name extends string>(known: readonly Name[]): PropertyNames<Name> {
  const bySpelling = new Map<string, Name>();
  for (const name of known) {
    bySpelling.set(name, name);
    bySpelling.set(name[0]!.toUpperCase() + name.slice(1), name);
  }
  return { known, bySpelling };
}

/** The known name of a property as it is spelt in the object at `path`. Throws `unknown_property`. */
export function propertyNamed<Name extends string>(
  names: PropertyNames<Name>,
  spelt: string,
  path: string,
): Name {
  const name = names.bySpelling.get(spelt);
  if (name !== undefined) return name;
  const known =
    names.known.length === 0
      ? 'none is known here'
      : `the nearest known one is "${nearest(spelt, names.known)}"`;
  const message = `has the unknown property ${excerpt(spelt)}; ${known}`;
  throw fault('unknown_property', path, message);
}
