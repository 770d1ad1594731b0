import { isPresent, type Presence } from '../domain/parameter-data.ts';
import { type ByteResults, type NumberResults, roomFor, type TimedAccumulator } from './accumulator.ts';
import { enlarge, type QueryMemory } from './query-memory.ts';
import type { ByteValues, ColumnValues, NumberValues, RowTimes } from './rows-to-aggregate.ts';
import { type Runs, skipped } from './runs.ts';

/**
 * The first or last value per slot in the order of rows: time, then stream, then tags. Rows come stream by stream in
 * that order, each stream in order, so of equal times the earlier one to come is the first and the later the last.
 */
export type Edge = 'first' | 'last';

export interface NumberPicks extends TimedAccumulator<NumberValues> {
  /** Adds a value of a time (ns) to a slot. */
  offer(slot: number, value: number, time: bigint): void;
  readonly result: NumberResults;
}

export interface BytePicks extends TimedAccumulator<ByteValues> {
  readonly result: ByteResults;
}

export function numberPicks(edge: Edge, memory: QueryMemory): NumberPicks {
  const places = pickedTimes(edge, memory);
  let held = new Float64Array(0);
  return {
    reserve(slots) {
      if (slots <= held.length) return;
      held = enlarge(held, roomFor(slots, held.length), memory);
      places.reserve(held.length);
    },
    add(column, runs, times) {
      eachPick(edge, column, runs, times, (slot, row, time) => {
        if (places.offer(slot, time)) held[slot] = column.values[row]!;
      });
    },
    offer(slot, value, time) {
      if (places.offer(slot, time)) held[slot] = value;
    },
    result: { has: places.has, valueOf: (slot) => held[slot]! },
  };
}

export function bytePicks(edge: Edge, memory: QueryMemory): BytePicks {
  const places = pickedTimes(edge, memory);
  let reserved = 0;
  const held: Uint8Array[] = [];
  return {
    reserve(slots) {
      if (slots <= reserved) return;
      reserved = roomFor(slots, reserved);
      places.reserve(reserved);
    },
    add(column, runs, times) {
      const { bytes, ends } = column;
      eachPick(edge, column, runs, times, (slot, row, time) => {
        if (!places.offer(slot, time)) return;
        const before = held[slot]?.length ?? -valueOverhead;
        // A copy of its own: a Buffer's slice would hold the whole column.
        held[slot] = new Uint8Array(bytes.subarray(row === 0 ? 0 : ends[row - 1]!, ends[row]!));
        if (held[slot]!.length > before) memory.take(held[slot]!.length - before);
      });
    },
    result: { bytesOf: (slot) => (places.has(slot) ? held[slot] : undefined) },
  };
}

/** What the engine takes for an array of bytes besides these, roughly. */
const valueOverhead = 120;

/** When the picked values were, and which slots have one. */
function pickedTimes(edge: Edge, memory: QueryMemory) {
  let times = new BigInt64Array(0);
  let filled = new Uint8Array(0);
  return {
    has: (slot: number) => filled[slot] === 1,
    reserve(slots: number) {
      times = enlarge(times, slots, memory);
      filled = enlarge(filled, slots, memory);
    },
    /** Whether a value of that time replaces the one that is held. */
    offer(slot: number, time: bigint): boolean {
      if (filled[slot] === 1 && (edge === 'first' ? time >= times[slot]! : time < times[slot]!)) return false;
      filled[slot] = 1;
      times[slot] = time;
      return true;
    },
  };
}

/** Calls back once per run that has a value: with the row of its first or last one. */
function eachPick(
  edge: Edge,
  { present }: ColumnValues,
  { count, ends, slots }: Runs,
  { base, offsetOf }: RowTimes,
  pick: (slot: number, row: number, time: bigint) => void,
): void {
  for (let run = 0, from = 0; run < count; run++) {
    const to = ends[run]!;
    const slot = slots[run]!;
    if (slot !== skipped) {
      const row = edge === 'first' ? firstPresent(present, from, to) : lastPresent(present, from, to);
      if (row >= 0) pick(slot, row, base + BigInt(offsetOf(row)));
    }
    from = to;
  }
}

function firstPresent(present: Presence, from: number, to: number): number {
  for (let row = from; row < to; row++) if (isPresent(present, row)) return row;
  return -1;
}

function lastPresent(present: Presence, from: number, to: number): number {
  for (let row = to - 1; row >= from; row--) if (isPresent(present, row)) return row;
  return -1;
}
