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
  /** Counts one more use of a set; returns its number. */
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
  return new InternedSets(onUnused);
}

class InternedSets implements ParameterSets {
  readonly #onUnused: (parameter: number) => void;
  /** By number; undefined where the number is free. */
  readonly #entries: (Entry | undefined)[];
  /** Numbers that are free. */
  readonly #free: number[] = [];
  /** The number of each set, by `textOf`. */
  readonly #numbers: Map<string, number>;
  /** By parameter, how many sets have it. */
  readonly #uses = new Map<number, number>();
  /** Secret, so that nobody can choose parameters whose sums are the same. */
  readonly #seeds = [randomInt(2 ** 32), randomInt(2 ** 32)] as const;

  constructor(onUnused: (parameter: number) => void) {
    this.#onUnused = onUnused;
    const empty: Entry = { members: new Set(), ordered: [], key: { a: 0, b: 0 }, uses: 1 };
    this.#entries = [empty];
    this.#numbers = new Map([[textOf(empty.key, 0), 0]]);
  }

  get count(): number {
    return this.#entries.length - this.#free.length;
  }

  uses(parameter: number): number {
    return this.#uses.get(parameter) ?? 0;
  }

  has(set: number, parameter: number): boolean {
    return this.#entries[set]!.members.has(parameter);
  }

  members(set: number): readonly number[] {
    const entry = this.#entries[set]!;
    entry.ordered ??= [...entry.members].sort((a, b) => a - b);
    return entry.ordered;
  }

  missing(set: number, parameters: readonly number[]): number[] {
    const { members } = this.#entries[set]!;
    const fresh = parameters.filter((parameter) => !members.has(parameter));
    return fresh.length < 2 ? fresh : [...new Set(fresh)];
  }

  extend(set: number, fresh: readonly number[]): number {
    if (fresh.length === 0) return set;
    const entry = this.#entries[set]!;
    const key = this.#extendedKey(entry.key, fresh);
    const known = this.#numbers.get(textOf(key, entry.members.size + fresh.length));
    if (known !== undefined) {
      this.share(known);
      this.release(set);
      return known;
    }
    if (set !== 0 && entry.uses === 1) {
      this.#grow(set, entry, key, fresh);
      return set;
    }
    const made = this.#add({
      members: new Set([...entry.members, ...fresh]),
      ordered: undefined,
      key,
      uses: 1,
    });
    this.release(set);
    return made;
  }

  intern(members: readonly number[]): number {
    return this.extend(0, this.missing(0, members));
  }

  share(set: number): number {
    this.#entries[set]!.uses++;
    return set;
  }

  release(set: number): void {
    const entry = this.#entries[set]!;
    if (set === 0 || --entry.uses > 0) return;
    this.#numbers.delete(textOf(entry.key, entry.members.size));
    this.#entries[set] = undefined;
    this.#free.push(set);
    for (const parameter of entry.members) this.#countDown(parameter);
  }

  #add(entry: Entry): number {
    this.#countUp(entry.members);
    const number = this.#free.pop() ?? this.#entries.length;
    this.#entries[number] = entry;
    this.#numbers.set(textOf(entry.key, entry.members.size), number);
    return number;
  }

  /** Adds members to a set that one stream alone uses. */
  #grow(set: number, entry: Entry, key: Key, fresh: readonly number[]): void {
    this.#numbers.delete(textOf(entry.key, entry.members.size));
    for (const parameter of fresh) entry.members.add(parameter);
    this.#countUp(fresh);
    entry.key = key;
    entry.ordered = undefined;
    this.#numbers.set(textOf(key, entry.members.size), set);
  }

  #countUp(parameters: Iterable<number>): void {
    for (const parameter of parameters) this.#uses.set(parameter, this.uses(parameter) + 1);
  }

  #countDown(parameter: number): void {
    const left = this.uses(parameter) - 1;
    if (left > 0) {
      this.#uses.set(parameter, left);
    } else {
      this.#uses.delete(parameter);
      this.#onUnused(parameter);
    }
  }

  #extendedKey({ a, b }: Key, parameters: readonly number[]): Key {
    let [sumA, sumB] = [a, b];
    for (const parameter of parameters) {
      sumA = (sumA + mixed(parameter ^ this.#seeds[0])) >>> 0;
      sumB = (sumB + mixed(parameter ^ this.#seeds[1])) >>> 0;
    }
    return { a: sumA, b: sumB };
  }
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
