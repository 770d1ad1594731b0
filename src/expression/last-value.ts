import { isPresent } from '../domain/parameter-data.ts';
import { setPresent } from '../domain/presence.ts';
import type { NumberColumn } from './column.ts';

/** What `fill` remembers of the rows before, of one stream and one value of the tags of `over`. */
export interface LastValue {
  /** Takes the values of the rows [from, to), all of which have one. */
  see(values: Float64Array, from: number, to: number): void;
  /**
   * Writes the last value of each of the rows [from, to), with a bit for each row that has one; gives how many have.
   *
   * @param column undefined where no row has a value of its own
   */
  fill(
    column: NumberColumn | undefined,
    from: number,
    to: number,
    out: Float64Array,
    present: Uint8Array,
  ): number;
  moveOrigin(): void;
  size(): number;
  save(): readonly number[];
  restore(saved: readonly number[]): void;
}

export function lastValue(): LastValue {
  let isThere = false;
  let last = 0;
  return {
    see(values, from, to) {
      if (from === to) return;
      isThere = true;
      last = values[to - 1]!;
    },
    fill(column, from, to, out, present) {
      let begin = from;
      if (!isThere) {
        if (column === undefined) return 0;
        while (begin < to && !isPresent(column.present, begin)) begin++;
        if (begin === to) return 0;
        isThere = true;
      }
      if (column === undefined) out.fill(last, begin, to);
      else {
        const { values, present: has } = column;
        let value = last;
        for (let row = begin; row < to; row++) {
          if (isPresent(has, row)) value = values[row]!;
          out[row] = value;
        }
        last = value;
      }
      setPresent(present, begin, to);
      return to - begin;
    },
    moveOrigin() {},
    size: () => 2,
    save: () => [Number(isThere), last],
    restore(saved) {
      isThere = saved[0] === 1;
      last = saved[1]!;
    },
  };
}
