import { PitwallError } from '../errors.ts';
import type { StreamState } from './stream-state.ts';
import { unboundedRoom, type ValueRoom, valuesOfState } from './value-room.ts';

/** The most values of the tags of `over` that one stream may have. */
export const maxKeys = 10_000;

/** The value of a tag of rows: texts, and per row an index into them (undefined: every row has `texts[0]`). */
export interface RowTag {
  /** Undefined for rows without the tag. */
  readonly texts: readonly (string | undefined)[];
  readonly index: Uint32Array | undefined;
}

/** A number for each row, of which those of the same one go on from each other; or one number for all rows. */
export type Keys = KeyRuns | number;

/** Run r is the rows from the end of the one before (0 for the first) to `ends[r]`; the last one ends with the rows. */
export interface KeyRuns {
  readonly count: number;
  readonly ends: Uint32Array;
  readonly keys: Uint32Array;
}

/** Roughly what a key takes besides its text, as a number of values. */
const valuesOfKey = 16;

/** What a function remembers: of each key in turn; no number where a key has nothing. */
export type SavedStates = readonly (readonly number[])[];

/** Numbers for the values of a tag of one stream, within the numbers of an outer one. */
export function keyTable(room: ValueRoom) {
  let numbers = new Map<string, number>();
  /** UTF-16 code units of all keys together. */
  let length = 0;
  let ends = new Uint32Array(16);
  let keys = new Uint32Array(16);

  function add(key: string): number {
    room.take(valuesOfKey + key.length);
    length += key.length;
    numbers.set(key, numbers.size);
    return numbers.size - 1;
  }

  function clear(): void {
    numbers = new Map();
    length = 0;
  }

  function numberOf(outer: number, text: string | undefined): number {
    const key = `${outer}:${text === undefined ? '' : `=${text}`}`;
    const known = numbers.get(key);
    if (known !== undefined) return known;
    if (numbers.size === maxKeys) {
      const detail = `a calculated parameter goes over a tag with more than ${maxKeys} values in one stream`;
      throw new PitwallError('query_too_large', { detail });
    }
    return add(key);
  }

  /** Numbers of texts by their index, as long as the outer number stays: rows of several tag sets often come by turns. */
  function numbersOf(texts: RowTag['texts']) {
    let known = new Map<number, number>();
    let lastOuter = -1;
    return (outer: number, index: number): number => {
      if (outer !== lastOuter) {
        lastOuter = outer;
        known = new Map();
      }
      let number = known.get(index);
      if (number === undefined) {
        number = numberOf(outer, texts[index]);
        known.set(index, number);
      }
      return number;
    };
  }

  return {
    clear,
    moveOrigin() {},
    size: () => numbers.size + length,
    /** The code units of each key. */
    save: (): SavedStates =>
      [...numbers.keys()].map((key) => Array.from({ length: key.length }, (_, i) => key.charCodeAt(i))),
    restore(saved: SavedStates): boolean {
      clear();
      for (const units of saved) add(String.fromCharCode(...units));
      return true;
    },
    /** The runs are the table's memory: the next call writes over them. */
    keysOf(count: number, outer: Keys, { texts, index }: RowTag): Keys {
      if (index === undefined && typeof outer === 'number') return numberOf(outer, texts[0]);
      const keyOf = numbersOf(texts);
      let runs = 0;
      for (let row = 0, outerRun = 0; row < count; runs++) {
        const outerEnd = typeof outer === 'number' ? count : outer.ends[outerRun]!;
        const place = index === undefined ? 0 : index[row]!;
        let end = outerEnd;
        if (index !== undefined) for (end = row + 1; end < outerEnd && index[end] === place; ) end++;
        const key = keyOf(typeof outer === 'number' ? outer : outer.keys[outerRun]!, place);
        // Tag sets may differ in other tags alone.
        if (runs > 0 && keys[runs - 1] === key) runs--;
        if (runs === ends.length) [ends, keys] = [widened(ends), widened(keys)];
        ends[runs] = end;
        keys[runs] = key;
        if (end === outerEnd) outerRun++;
        row = end;
      }
      return { count: runs, ends, keys };
    },
  };
}

function widened(values: Uint32Array): Uint32Array<ArrayBuffer> {
  const wider = new Uint32Array(2 * values.length);
  wider.set(values);
  return wider;
}

/**
 * The states of one function, by key.
 *
 * @param room from which `make` takes `valuesOfState` for each
 */
export function keyedStates<State extends Pick<StreamState, 'moveOrigin' | 'size' | 'save' | 'restore'>>(
  make: () => State,
  room: ValueRoom = unboundedRoom,
) {
  let states: (State | undefined)[] = [];
  /** The first one of the stream before: with one for each of many streams most memory would be made for them. */
  let spare: State | undefined;
  let initial: readonly number[] = [];

  function begin(): State {
    const state = make();
    initial = state.save();
    return state;
  }

  function open(): State {
    if (spare === undefined) return begin();
    const state = spare;
    spare = undefined;
    room.take(valuesOfState);
    state.restore(initial);
    return state;
  }

  return {
    clear(): void {
      spare = states[0] ?? spare;
      states = [];
    },
    of(key: number): State {
      states[key] ??= open();
      return states[key];
    },
    size(): number {
      let numbers = states.length;
      for (const state of states) numbers += state?.size() ?? 0;
      return numbers;
    },
    save: (): SavedStates => Array.from(states, (state) => state?.save() ?? []),
    /** False where the numbers are of no such state. */
    restore(saved: SavedStates): boolean {
      states = [];
      for (const [key, one] of saved.entries()) {
        if (one.length === 0) continue;
        const state = begin();
        const more = one.length - state.size();
        if (more < 0 || more % 2 !== 0) return false;
        state.restore(one);
        states[key] = state;
      }
      return true;
    },
    moveOrigin(by: number): void {
      for (const state of states) state?.moveOrigin(by);
    },
  };
}
