import { mostValueNames, type ValueNames, valueNamesFrom } from '../domain/definition.ts';

/**
 * Whether a channel whose numbers have names is one of names: two or more have one, and 0 or 1 is among them. Else only single values have a meaning of
 * their own, such as "not available" of a counter.
 */
export function isEnumeration(named: readonly number[]): boolean {
  return named.length > 1 && (named.includes(0) || named.includes(1));
}

/** Names of numbers as a definition has them: of two names of a number the first one counts. Undefined where there is none. */
export function valueNamesOf(
  names: Iterable<readonly [number: number, name: string]>,
): ValueNames | undefined {
  const known = new Map<number, string>();
  for (const [number, name] of names)
    if (Number.isFinite(number) && !known.has(number) && known.size < mostValueNames) known.set(number, name);
  return known.size === 0 ? undefined : valueNamesFrom(known);
}
