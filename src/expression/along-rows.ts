import { type AlongStream, beginsWithWanted } from './along-stream.ts';
import { type Keys, keyedStates } from './keyed-states.ts';
import { lastValue } from './last-value.ts';
import type { Compute, KeysOf, Part } from './stream-rows.ts';
import type { StreamState } from './stream-state.ts';
import type { ValueMemory } from './value-memory.ts';
import type { ValueRoom } from './value-room.ts';
import { inPlaces, type ValuedRows, valuedRowsOf } from './valued-rows.ts';

/** A function along the stream: rows without a value of the operand have none, and change nothing. */
export function along(
  name: AlongStream,
  operand: Compute,
  keysOf: KeysOf,
  parts: Part[],
  makeState: () => StreamState,
  { memory, room }: { readonly memory: ValueMemory; readonly room: ValueRoom },
): Compute {
  const states = keyedStates(makeState, room);
  parts.push(states);
  const out = memory.output();
  const valuedRows = valuedRowsOf(memory);
  /** Bits of rows that nobody was given: memory for a few hundred bytes costs more than the bits. */
  let spare = new Uint8Array(0);
  return (rows) => {
    const x = operand(rows);
    if (x === undefined) return undefined;
    const { count, base, offsets } = rows;
    const keys = keysOf(rows);
    const valued = x.present === undefined ? undefined : valuedRows(x, offsets, count);
    const { times, values } = valued ?? { times: offsets, values: x.values };
    const placeOf = valued === undefined ? (row: number) => row : placesIn(valued);
    const made = out(count);
    const bytes = (count + 7) >> 3;
    const present = spare.length === bytes ? spare.fill(0) : new Uint8Array(bytes);
    spare = present;
    let from = beginsWithWanted(name) ? placeOf(rows.firstWanted) : 0;
    let found = 0;
    if (typeof keys === 'number') {
      const to = valued?.count ?? count;
      if (from < to) found = states.of(keys).nextAll({ from, to, base, times, values }, made, present);
    } else
      for (let run = 0; run < keys.count; run++) {
        const to = placeOf(keys.ends[run]!);
        if (from >= to) continue;
        found += states.of(keys.keys[run]!).nextAll({ from, to, base, times, values }, made, present);
        from = to;
      }
    if (found === 0) return undefined;
    if (valued !== undefined) return inPlaces({ values: made, present }, valued, count);
    if (found === count) return { values: made, present: undefined };
    spare = new Uint8Array(0);
    return { values: made, present };
  };
}

/** Tells how many valued rows there are before a row; rows ascend from call to call. */
function placesIn({ rows, count }: ValuedRows): (row: number) => number {
  let place = 0;
  return (row) => {
    while (place < count && rows[place]! < row) place++;
    return place;
  };
}

/** Carries the last value on to rows without one. */
export function fill(operand: Compute, keysOf: KeysOf, parts: Part[], memory: ValueMemory): Compute {
  const states = keyedStates(lastValue);
  parts.push(states);
  const out = memory.output();
  return (rows) => {
    const x = operand(rows);
    const { count } = rows;
    const keys = keysOf(rows);
    if (x !== undefined && x.present === undefined) {
      forEachRun(keys, count, (key, from, to) => states.of(key).see(x.values, from, to));
      return x;
    }
    const values = out(count);
    const present = new Uint8Array((count + 7) >> 3);
    let found = 0;
    forEachRun(keys, count, (key, from, to) => {
      found += states.of(key).fill(x, from, to, values, present);
    });
    if (found === 0) return undefined;
    return { values, present: found === count ? undefined : present };
  };
}

function forEachRun(keys: Keys, count: number, visit: (key: number, from: number, to: number) => void): void {
  if (typeof keys === 'number') {
    visit(keys, 0, count);
    return;
  }
  for (let run = 0, from = 0; run < keys.count; from = keys.ends[run++]!)
    visit(keys.keys[run]!, from, keys.ends[run]!);
}
