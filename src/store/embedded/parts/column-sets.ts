import type { ByteReader } from '../codecs/byte-reader.ts';
import type { ByteWriter } from '../codecs/byte-writer.ts';
import { decodeIntegers, encodeIntegers } from '../codecs/integer-frames.ts';

/**
 * The column sets of a part: sets of parameters, each once, by number. In the index: a varint, how many there are;
 * integer frames with the size of each; integer frames with all their parameters, set by set, ascending.
 */
export interface ColumnSets {
  readonly count: number;
  /** The parameters of a set, ascending. */
  parameters(set: number): Uint32Array;
  /** The sets that have a parameter. */
  having(parameter: number): Uint32Array;
  /** Memory that they take. */
  readonly bytes: number;
  /** Has `grown` told, once, of memory that they take more when a parameter is first looked for. */
  watch(grown: (bytes: number) => void): void;
}

export function columnSets(ends: Uint32Array, all: Uint32Array): ColumnSets {
  const start = (set: number) => (set === 0 ? 0 : ends[set - 1]!);
  let inverse: { readonly parameters: Uint32Array; readonly sets: Uint32Array } | undefined;
  /** Streams one after the other mostly have the same: a view takes longer to make than to look at. */
  let lastSet = -1;
  let ofLast = all;

  let told: ((bytes: number) => void) | undefined;

  /** All pairs of parameter and set, in that order: made when a parameter is first looked for. */
  function invert() {
    const setOf = new Uint32Array(all.length);
    for (let set = 0; set < ends.length; set++) setOf.fill(set, start(set), ends[set]!);
    const order = Uint32Array.from(all.keys()).sort((a, b) => all[a]! - all[b]! || a - b);
    return { parameters: order.map((i) => all[i]!), sets: order.map((i) => setOf[i]!) };
  }

  return {
    count: ends.length,
    parameters(set) {
      if (set !== lastSet) {
        lastSet = set;
        ofLast = all.subarray(start(set), ends[set]!);
      }
      return ofLast;
    },
    having(parameter) {
      if (inverse === undefined) {
        inverse = invert();
        told?.(2 * all.byteLength);
      }
      const { parameters, sets } = inverse;
      const from = lowerBound(parameters, parameter);
      let to = from;
      while (to < parameters.length && parameters[to] === parameter) to++;
      return sets.subarray(from, to);
    },
    bytes: ends.byteLength + all.byteLength,
    watch(grown) {
      told = grown;
    },
  };
}

/** Index of the first number that is not below a bound. */
export function lowerBound(
  numbers: { readonly [index: number]: number },
  bound: number,
  low = 0,
  high = (numbers as Uint32Array).length,
): number {
  let [from, to] = [low, high];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (numbers[middle]! < bound) from = middle + 1;
    else to = middle;
  }
  return from;
}

export function encodeColumnSets(out: ByteWriter, sets: readonly (readonly number[])[]): void {
  out.varint(sets.length);
  encodeIntegers(
    out,
    Float64Array.from(sets, ({ length }) => length),
    sets.length,
  );
  const all = Float64Array.from(sets.flat());
  encodeIntegers(out, all, all.length);
}

export function decodeColumnSets(reader: ByteReader): ColumnSets {
  const count = reader.varint();
  const ends = Uint32Array.from(decodeIntegers(reader, count));
  for (let set = 1; set < count; set++) ends[set]! += ends[set - 1]!;
  return columnSets(ends, Uint32Array.from(decodeIntegers(reader, ends[count - 1] ?? 0)));
}

/** Gives column sets their numbers, while a part is written. */
export function numberedSets() {
  const sets: (readonly number[])[] = [];
  const numbers = new Map<string, number>();
  let latest = -1;
  return {
    sets,
    numberOf(set: readonly number[]): number {
      // Neighbours mostly have the same.
      if (latest >= 0 && isEqual(sets[latest]!, set)) return latest;
      const key = set.join();
      let number = numbers.get(key);
      if (number === undefined) {
        number = sets.push(set) - 1;
        numbers.set(key, number);
      }
      latest = number;
      return number;
    },
  };
}

function isEqual(a: readonly number[], b: readonly number[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
