import { isPresent, type Presence } from '../../domain/parameter-data.ts';
import { enlarge, type QueryMemory } from '../bounds/query-memory.ts';
import type { ByteValues, ColumnValues, NumberValues, RowTimes } from '../runs/rows-to-aggregate.ts';
import { type Runs, skipped } from '../runs/runs.ts';
import {
  type ByteResults,
  type Joinable,
  type NumberResults,
  roomFor,
  type TimedAccumulator,
} from './accumulator.ts';

/**
 * The first or last value per slot in the order of rows: time, then stream, then tags. Rows come stream by stream in
 * that order, each stream in order, so of equal times the earlier one to come is the first and the later the last.
 */
export type Edge = 'first' | 'last';

export interface NumberPicks extends TimedAccumulator<NumberValues>, Joinable<PartialNumberPicks> {
  /** Adds a value of a time (ns) to a slot. */
  offer(slot: number, value: number, time: bigint): void;
  readonly result: NumberResults;
}

export interface BytePicks extends TimedAccumulator<ByteValues>, Joinable<PartialBytePicks> {
  readonly result: ByteResults;
}

/** When the picked values of slots were (ns), and a 1 for each slot that has one. */
export interface PartialPicks {
  readonly times: BigInt64Array;
  readonly filled: Uint8Array;
}

export interface PartialNumberPicks extends PartialPicks {
  readonly values: Float64Array;
}

/** The value of a slot is the bytes from the end of the one before to its own. */
export interface PartialBytePicks extends PartialPicks {
  readonly bytes: Uint8Array;
  readonly ends: Uint32Array;
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
    give: () => ({ ...places.give(), values: held }),
    join({ times, filled, values }, slots) {
      for (let i = 0; i < slots.length; i++) {
        const slot = slots[i]!;
        if (filled[i] === 1 && places.offer(slot, times[i]!)) held[slot] = values[i]!;
      }
    },
    result: { has: places.has, valueOf: (slot) => held[slot]! },
  };
}

export function bytePicks(edge: Edge, memory: QueryMemory): BytePicks {
  const places = pickedTimes(edge, memory);
  let reserved = 0;
  const held: Uint8Array[] = [];

  /** A copy of its own: a Buffer's slice would hold the whole column. */
  function keep(slot: number, bytes: Uint8Array, from: number, to: number): void {
    const before = held[slot]?.length ?? -valueOverhead;
    held[slot] = new Uint8Array(bytes.subarray(from, to));
    if (to - from > before) memory.take(to - from - before);
  }

  return {
    reserve(slots) {
      if (slots <= reserved) return;
      reserved = roomFor(slots, reserved);
      places.reserve(reserved);
    },
    add(column, runs, times) {
      const { bytes, ends } = column;
      eachPick(edge, column, runs, times, (slot, row, time) => {
        if (places.offer(slot, time)) keep(slot, bytes, row === 0 ? 0 : ends[row - 1]!, ends[row]!);
      });
    },
    give() {
      const ends = new Uint32Array(held.length);
      let length = 0;
      for (let slot = 0; slot < held.length; slot++) {
        length += held[slot]?.length ?? 0;
        ends[slot] = length;
      }
      const bytes = new Uint8Array(length);
      for (let slot = 0; slot < held.length; slot++)
        if (held[slot] !== undefined) bytes.set(held[slot]!, ends[slot]! - held[slot]!.length);
      return { ...places.give(), bytes, ends };
    },
    join({ times, filled, bytes, ends }, slots) {
      for (let i = 0; i < slots.length; i++) {
        if (filled[i] !== 1 || !places.offer(slots[i]!, times[i]!)) continue;
        keep(slots[i]!, bytes, i === 0 ? 0 : ends[i - 1]!, ends[i]!);
      }
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
    give: (): PartialPicks => ({ times, filled }),
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
