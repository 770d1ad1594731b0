import { randomInt } from 'node:crypto';

/**
 * The sets of parameters that streams have data for. Streams of one kind have the same parameters, so a set is kept once
 * and a stream holds its number: 4 bytes a stream instead of a list. Set 0 is the empty one.
 *
 * A stream may gain its parameters one by one, tens of thousands of them. So uses are counted: a set that one stream
 * alone uses grows where it is, and one that nobody uses any more goes. Sets are found by sums of random numbers, one for
 * each member, which grow with the set.
 */
export interface ParameterSets {
  /** Those of `parameters` that the set does not have, each once. */
  missing(set: number, parameters: readonly number[]): number[];
  /**
   * The number of the set that has everything of `set` and `parameters`, which it does not have. One use of `set` becomes
   * one use of the result; they may be the same number.
   */
  extend(set: number, parameters: readonly number[]): number;
  has(set: number, parameter: number): boolean;
  /** Parameter numbers of a set, ascending, as they are now. The same array as long as they are. */
  members(set: number): readonly number[];
  /** The number of the set with exactly these parameters, used once more. */
  intern(members: readonly number[]): number;
  /** The same set, used once more. */
  share(set: number): number;
  /** One use less. */
  release(set: number): void;
  /** How many sets have a parameter. */
  uses(parameter: number): number;
  /** How many sets there are. */
  readonly count: number;
}

interface Entry {
  readonly members: Set<number>;
  /** Made when it is asked for; never changed, because it may be held. */
  ordered: readonly number[] | undefined;
  key: Key;
  uses: number;
}

/** Two sums of 32 bits. */
interface Key {
  readonly a: number;
  readonly b: number;
}

/** @param onUnused told of a parameter that no set has any more */
export function parameterSets(onUnused: (parameter: number) => void = () => undefined): ParameterSets {
  const empty: Entry = { members: new Set(), ordered: [], key: { a: 0, b: 0 }, uses: 1 };
  const entries: (Entry | undefined)[] = [empty];
  const unused: number[] = [];
  /** By parameter, how many sets have it. */
  const uses = new Map<number, number>();
  const numbers = new Map<string, number>([[textOf(empty.key, 0), 0]]);
  // Secret, so that nobody can choose parameters whose sums are the same.
  const seeds = [randomInt(2 ** 32), randomInt(2 ** 32)] as const;

  function grown({ a, b }: Key, parameters: readonly number[]): Key {
    let [sumA, sumB] = [a, b];
    for (const parameter of parameters) {
      sumA = (sumA + mixed(parameter ^ seeds[0])) >>> 0;
      sumB = (sumB + mixed(parameter ^ seeds[1])) >>> 0;
    }
    return { a: sumA, b: sumB };
  }

  function use(parameters: Iterable<number>): void {
    for (const parameter of parameters) uses.set(parameter, (uses.get(parameter) ?? 0) + 1);
  }

  function leave(parameters: Iterable<number>): void {
    for (const parameter of parameters) {
      const left = uses.get(parameter)! - 1;
      if (left > 0) {
        uses.set(parameter, left);
      } else {
        uses.delete(parameter);
        onUnused(parameter);
      }
    }
  }

  function place(entry: Entry): number {
    use(entry.members);
    const number = unused.pop() ?? entries.length;
    entries[number] = entry;
    numbers.set(textOf(entry.key, entry.members.size), number);
    return number;
  }

  function release(set: number): void {
    const entry = entries[set]!;
    if (set === 0 || --entry.uses > 0) return;
    numbers.delete(textOf(entry.key, entry.members.size));
    entries[set] = undefined;
    unused.push(set);
    leave(entry.members);
  }

  function missing(set: number, parameters: readonly number[]): number[] {
    const { members } = entries[set]!;
    const fresh = parameters.filter((parameter) => !members.has(parameter));
    return fresh.length < 2 ? fresh : [...new Set(fresh)];
  }

  function extend(set: number, fresh: readonly number[]): number {
    if (fresh.length === 0) return set;
    const entry = entries[set]!;
    const key = grown(entry.key, fresh);
    const known = numbers.get(textOf(key, entry.members.size + fresh.length));
    if (known !== undefined) {
      entries[known]!.uses++;
      release(set);
      return known;
    }
    if (set !== 0 && entry.uses === 1) {
      numbers.delete(textOf(entry.key, entry.members.size));
      for (const parameter of fresh) entry.members.add(parameter);
      use(fresh);
      entry.key = key;
      entry.ordered = undefined;
      numbers.set(textOf(key, entry.members.size), set);
      return set;
    }
    const made = place({ members: new Set([...entry.members, ...fresh]), ordered: undefined, key, uses: 1 });
    release(set);
    return made;
  }

  return {
    missing,
    extend,
    release,
    share(set) {
      entries[set]!.uses++;
      return set;
    },
    has: (set, parameter) => entries[set]!.members.has(parameter),
    members(set) {
      const entry = entries[set]!;
      entry.ordered ??= [...entry.members].sort((a, b) => a - b);
      return entry.ordered;
    },
    uses: (parameter) => uses.get(parameter) ?? 0,
    intern: (members) => extend(0, missing(0, members)),
    get count() {
      return entries.length - unused.length;
    },
  };
}

function textOf({ a, b }: Key, size: number): string {
  return `${a} ${b} ${size}`;
}

/** Spreads 32 bits (the finaliser of MurmurHash3, A. Appleby). */
function mixed(value: number): number {
  let bits = value;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}
