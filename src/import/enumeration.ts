/**
 * Whether a channel whose numbers have names is one of names: two or more have one, and 0 or 1 is among them. Else only single values have a meaning of
 * their own, such as "not available" of a counter.
 */
export function isEnumeration(named: readonly number[]): boolean {
  return named.length > 1 && (named.includes(0) || named.includes(1));
}

const mostNames = 50;

/** Numbers and their names as the description of a channel: `0 = off, 1 = on`. */
export function describeNames(names: readonly (readonly [number: number | string, name: string])[]): string {
  const more = names.length > mostNames ? ` and ${names.length - mostNames} more` : '';
  return (
    names
      .slice(0, mostNames)
      .map(([number, name]) => `${number} = ${name}`)
      .join(', ') + more
  );
}
