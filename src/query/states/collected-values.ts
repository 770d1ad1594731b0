import { isPresent } from '../../domain/parameter-data.ts';
import type { Pace } from '../../turns/pace.ts';
import { enlarge, type QueryMemory } from '../bounds/query-memory.ts';
import { sortNumbers } from '../groups/paced-sort.ts';
import type { NumberValues } from '../runs/rows-to-aggregate.ts';
import { skipped } from '../runs/runs.ts';
import { type Accumulator, type Joinable, type NumberResults, roomFor } from './accumulator.ts';

/**
 * All values per slot, for what needs them in order: Median, percentiles and Mode. They are kept as they come, in
 * pages, with the slot of each run beside; at the end they are put together by slot and sorted. That takes 16 bytes
 * a value. NaN is skipped.
 */
export interface CollectedValues extends Accumulator<NumberValues>, Joinable<readonly CollectedPage[]> {
  /** Sorts what was kept; ask for results afterwards. */
  finish(slots: number, pace: Pace): Promise<void>;
  /** Percentile by linear interpolation between the closest ranks. */
  percentile(percent: number): NumberResults;
  /** The value that is there most often, the smallest of equals. */
  readonly mode: NumberResults;
}

const pageValues = 32_768;

interface Page {
  readonly values: Float64Array;
  /** Values up to `ends[i]` belong to `slots[i]`. */
  readonly slots: number[];
  readonly ends: number[];
  used: number;
}

/** Values as they came. */
export interface CollectedPage {
  readonly values: Float64Array;
  /** Values up to `ends[i]` belong to `slots[i]`. */
  readonly slots: Uint32Array;
  readonly ends: Uint32Array;
  readonly used: number;
}

export function collectedValues(memory: QueryMemory): CollectedValues {
  const pages: Page[] = [];
  let sizes = new Uint32Array(0);
  /** After `finish`: the sorted values of slot s are those from `starts[s]` to `starts[s + 1]`. */
  let starts = new Uint32Array(0);
  let sorted = new Float64Array(0);

  function pageWithRoom(): Page {
    const last = pages.at(-1);
    if (last !== undefined && last.used < pageValues) return last;
    // The values, as much again to put them in order, and room for the runs.
    memory.take(16 * pageValues);
    const page = { values: new Float64Array(pageValues), slots: [], ends: [], used: 0 };
    pages.push(page);
    return page;
  }

  function keep(slot: number, { values, present }: NumberValues, from: number, to: number): void {
    let row = from;
    while (row < to) {
      const page = pageWithRoom();
      const start = page.used;
      row = fill(page, values, present, row, to);
      if (page.used === start) continue;
      sizes[slot]! += page.used - start;
      page.slots.push(slot);
      page.ends.push(page.used);
      memory.take(16);
    }
  }

  const has = (slot: number) => starts[slot]! < starts[slot + 1]!;
  return {
    reserve(slots) {
      if (slots > sizes.length) sizes = enlarge(sizes, roomFor(slots, sizes.length), memory);
    },
    add(column, { count, ends, slots }) {
      for (let run = 0, from = 0; run < count; run++) {
        const to = ends[run]!;
        if (slots[run] !== skipped) keep(slots[run]!, column, from, to);
        from = to;
      }
    },
    give: () =>
      pages.splice(0).map(({ values, slots, ends, used }) => ({
        values,
        slots: Uint32Array.from(slots),
        ends: Uint32Array.from(ends),
        used,
      })),
    join(given, ofSlots) {
      for (const { values, slots, ends, used } of given) {
        memory.take(16 * pageValues + 16 * slots.length);
        const page = {
          values,
          slots: Array.from(slots, (slot) => ofSlots[slot]!),
          ends: Array.from(ends),
          used,
        };
        pages.push(page);
        for (let run = 0, from = 0; run < page.slots.length; from = page.ends[run++]!)
          sizes[page.slots[run]!]! += page.ends[run]! - from;
      }
    },
    async finish(slots, pace) {
      starts = new Uint32Array(slots + 1);
      for (let slot = 0; slot < slots; slot++) starts[slot + 1] = starts[slot]! + (sizes[slot] ?? 0);
      sorted = new Float64Array(starts[slots]!);
      const next = starts.slice();
      for (const page of pages.splice(0)) {
        for (let run = 0, from = 0; run < page.slots.length; run++) {
          const slot = page.slots[run]!;
          const to = page.ends[run]!;
          if (to - from === 1) sorted[next[slot]!] = page.values[from]!;
          else sorted.set(page.values.subarray(from, to), next[slot]!);
          next[slot]! += to - from;
          from = to;
        }
        await pace();
      }
      for (let slot = 0, unpaused = 0; slot < slots; slot++) {
        const [start, end] = [starts[slot]!, starts[slot + 1]!];
        if (end - start > pageValues) await sortNumbers(sorted.subarray(start, end), pace);
        else if (end - start > 1) sorted.subarray(start, end).sort();
        unpaused += end - start;
        if (unpaused < 8192) continue;
        unpaused = 0;
        await pace();
      }
    },
    percentile: (percent) => ({
      has,
      valueOf: (slot) => percentileOf(sorted, starts[slot]!, starts[slot + 1]!, percent),
    }),
    mode: { has, valueOf: (slot) => modeOf(sorted, starts[slot]!, starts[slot + 1]!) },
  };
}

/** Copies rows to a page until either ends; gives the first row that was not looked at. */
function fill(
  page: Page,
  values: Float64Array,
  present: Uint8Array | undefined,
  from: number,
  to: number,
): number {
  let { used } = page;
  let row = from;
  for (; row < to && used < pageValues; row++) {
    const value = values[row]!;
    if (!Number.isNaN(value) && isPresent(present, row)) page.values[used++] = value;
  }
  page.used = used;
  return row;
}

function percentileOf(sorted: Float64Array, start: number, end: number, percent: number): number {
  const place = ((end - start - 1) * percent) / 100;
  const below = Math.floor(place);
  const low = sorted[start + below]!;
  const high = sorted[Math.min(end - 1, start + below + 1)]!;
  return between(low, high, place - below);
}

/** A fraction of the way from one value to another; exact at both ends and between equals. */
export function between(low: number, high: number, fraction: number): number {
  if (fraction === 0 || low === high) return low;
  const distance = high - low;
  // The distance of two huge values of unlike sign is beyond a double, though the value between is not.
  return Number.isFinite(distance) ? low + distance * fraction : low * (1 - fraction) + high * fraction;
}

function modeOf(sorted: Float64Array, start: number, end: number): number {
  let mode = sorted[start]!;
  let most = 0;
  for (let i = start; i < end; ) {
    const value = sorted[i]!;
    let next = i + 1;
    while (next < end && sorted[next] === value) next++;
    if (next - i > most) {
      most = next - i;
      mode = value;
    }
    i = next;
  }
  return mode;
}
