import { PitwallError } from '../errors.ts';
import type { StreamState } from './along-stream.ts';
import type { ValueRoom } from './value-room.ts';

/** Values of the tags of `over` that one stream may have. */
export const maxKeys = 10_000;

/** The value of a tag of rows: texts, and per row an index into them (undefined: every row has `texts[0]`). */
export interface RowTag {
  /** Undefined for rows without the tag. */
  readonly texts: readonly (string | undefined)[];
  readonly index: Uint32Array | undefined;
}

/** A number for each row: rows of the same one go on from each other. */
export type Keys = Uint32Array | number;

/** What a key takes besides its text, roughly, as so many values. */
const valuesOfKey = 16;

/** Numbers for the values of a tag of one stream, within the numbers of an outer one. */
export function keyTable(room: ValueRoom) {
  let numbers = new Map<string, number>();

  function numberOf(outer: number, text: string | undefined): number {
    const key = `${outer}:${text === undefined ? '' : `=${text}`}`;
    const known = numbers.get(key);
    if (known !== undefined) return known;
    if (numbers.size === maxKeys) {
      const detail = `a calculated parameter goes over a tag with more than ${maxKeys} values in one stream`;
      throw new PitwallError('query_too_large', { detail });
    }
    room.take(valuesOfKey + key.length);
    numbers.set(key, numbers.size);
    return numbers.size - 1;
  }

  return {
    clear(): void {
      numbers = new Map();
    },
    keysOf(count: number, outer: Keys, { texts, index }: RowTag): Keys {
      if (index === undefined && typeof outer === 'number') return numberOf(outer, texts[0]);
      const keys = new Uint32Array(count);
      for (let row = 0, last = -1; row < count; row++) {
        const isSame =
          last >= 0 &&
          (index === undefined || index[row] === index[last]) &&
          (typeof outer === 'number' || outer[row] === outer[last]);
        keys[row] = isSame
          ? keys[last]!
          : numberOf(typeof outer === 'number' ? outer : outer[row]!, texts[index?.[row] ?? 0]);
        last = row;
      }
      return keys;
    },
  };
}

/** The states of one function, by key. */
export function keyedStates(make: () => StreamState) {
  let states: (StreamState | undefined)[] = [];
  return {
    clear(): void {
      states = [];
    },
    of(key: number): StreamState {
      states[key] ??= make();
      return states[key];
    },
    moveOrigin(by: number): void {
      for (const state of states) state?.moveOrigin(by);
    },
  };
}
