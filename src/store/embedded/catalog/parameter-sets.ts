/**
 * The sets of parameters that streams have data for. Streams of one kind have the same parameters, so a set is
 * kept once and a stream holds its number: 4 bytes a stream instead of a list. Set 0 is the empty one.
 */
export interface ParameterSets {
  /** The number of the set that has everything of `set` and all of `parameters`. */
  extend(set: number, parameters: readonly number[]): number;
  has(set: number, parameter: number): boolean;
  /** Parameter numbers of a set, ascending. */
  members(set: number): readonly number[];
  /** The number of the set with exactly these parameters. */
  intern(members: readonly number[]): number;
}

export function parameterSets(): ParameterSets {
  const lists: (readonly number[])[] = [[]];
  const lookups: ReadonlySet<number>[] = [new Set()];
  const numbers = new Map<string, number>([['', 0]]);

  function intern(members: readonly number[]): number {
    const ordered = [...new Set(members)].sort((a, b) => a - b);
    const key = ordered.join(',');
    let number = numbers.get(key);
    if (number === undefined) {
      number = lists.length;
      lists.push(ordered);
      lookups.push(new Set(ordered));
      numbers.set(key, number);
    }
    return number;
  }

  return {
    extend(set, parameters) {
      const lookup = lookups[set]!;
      return parameters.every((parameter) => lookup.has(parameter))
        ? set
        : intern([...lists[set]!, ...parameters]);
    },
    has: (set, parameter) => lookups[set]!.has(parameter),
    members: (set) => lists[set]!,
    intern,
  };
}
