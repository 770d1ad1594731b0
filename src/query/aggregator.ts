import type { ResultBlock } from '../domain/result.ts';
import type { StreamKey } from '../domain/stream.ts';
import type { TimeRange } from '../domain/timestamp.ts';
import type { Pace } from '../turns/pace.ts';
import { answerRows, type Gathered } from './answer/answer-rows.ts';
import { resultBlocks } from './answer/result-blocks.ts';
import { enlarge, type QueryMemory } from './bounds/query-memory.ts';
import { groupTable } from './groups/group-table.ts';
import { slotTable } from './groups/slot-table.ts';
import type { AggregatePlan } from './plan/plan.ts';
import { compileTagFilters } from './plan/tag-predicate.ts';
import { bucketOf, checkBuckets, maxBuckets, tooManyRows } from './plan/time-buckets.ts';
import {
  type DecodedRows,
  type RowsToAggregate,
  type RowTimes,
  rowsToAggregate,
} from './runs/rows-to-aggregate.ts';
import { runCutter } from './runs/run-cutter.ts';
import { giveBack, type Runs, type ScratchRuns, skipped, takeScratch } from './runs/runs.ts';
import { roomFor } from './states/accumulator.ts';
import { type ColumnStates, columnStates } from './states/column-states.ts';
import type { PartialAggregate } from './states/partial-aggregate.ts';
import type { StoredRows } from './states/stored-rows.ts';
import { hasValues, type TotalRows, type TotalsNeeded, totalsNeeded } from './states/total-rows.ts';

/**
 * Takes the rows of a plan's streams, one stream after another by id, then topic, and gives the aggregated rows.
 * Rows of one stream come in any order of blocks; inside a block they are in order, and rows of one time stand in
 * one block.
 */
export interface Aggregator {
  openStream(stream: StreamKey): void;
  /** Rows that the tag filters refuse are left out. The arrays are not kept. */
  add(rows: DecodedRows): void;
  /**
   * The same of rows as they are stored, of which only what is needed is decoded.
   *
   * @param columns in the place of those of the rows
   */
  addStored(rows: StoredRows, columns?: StoredRows['columns']): void;
  /** What totals have to tell to be added; undefined where rows have to be. */
  totalsNeeded(): TotalsNeeded | undefined;
  /** Whether tags decide which rows are wanted, or which group they are in: then those of totals have to be known. */
  readonly tagsMatter: boolean;
  /** The first offset from a base (ns) that is not in the same bucket as another one. */
  bucketEnd(base: bigint, offset: number): number;
  /** Adds rows of which the totals are enough. */
  addTotals(rows: TotalRows): void;
  /** All that it has, as plain data; nothing can be added afterwards. */
  give(): PartialAggregate;
  /** Adds what another aggregator of the same plan and range gave, as if its rows came after all that are here. */
  join(given: PartialAggregate, pace: Pace): Promise<void>;
  /** Blocks in the plan's order; nothing can be added afterwards. */
  finish(pace: Pace): AsyncGenerator<ResultBlock>;
}

/** Slots that are joined between two calls of the pace. */
const slotsOfTurn = 4096;

/**
 * @param range a time range that holds all rows that will come
 * Throws `too_many_buckets` where its buckets can't be told apart.
 */
export function createAggregator(plan: AggregatePlan, range: TimeRange, memory: QueryMemory): Aggregator {
  const { buckets } = plan;
  if (buckets !== undefined) checkBuckets({ ...buckets, interpolation: 'None' }, range.first, range.last);
  const grid = buckets && { width: buckets.width, origin: bucketOf(range.first, buckets.width) };
  const groups = groupTable(plan.groupBy, memory);
  const states = columnStates(plan, memory);
  const slots = slotTable(memory, (count) => {
    if (grid !== undefined && count > maxBuckets) throw tooManyRows(buckets?.field);
  });
  const wanted = compileTagFilters(plan.tagFilters);
  let scratch: ScratchRuns | undefined = takeScratch();
  const cutter = runCutter({ runs: scratch.runs, groups, slots, wanted, buckets: grid });
  /** Without buckets and `from`: the time of each group's first row. */
  const firstTimes = grid === undefined && !plan.hasFrom ? timesOfSlots(memory) : undefined;

  /** Found out when somebody asks: a small query never does. */
  let needed: { readonly ofAll: TotalsNeeded | undefined } | undefined;

  function cut(rows: RowsToAggregate): ScratchRuns {
    if (scratch === undefined) throw new Error('rows cannot be added to a finished aggregation');
    cutter.cut(rows);
    states.reserve(slots.count);
    firstTimes?.add(rows, scratch.runs, slots.count);
    return scratch;
  }

  function end(): void {
    if (scratch !== undefined) giveBack(scratch);
    scratch = undefined;
  }

  return {
    openStream: (stream) => groups.openStream(stream),
    add(rows) {
      const times = rowsToAggregate(rows);
      states.add(rows, cut(times).runs, times);
    },
    addStored(rows, columns = rows.columns) {
      const own = cut(rows);
      if (own.runs.slots[0] !== skipped || own.runs.count > 1) states.addStored(columns, own, rows);
    },
    totalsNeeded() {
      needed ??= { ofAll: totalsNeeded(states.parameters, firstTimes !== undefined) };
      return needed.ofAll;
    },
    tagsMatter: wanted !== undefined || groups.byTags,
    bucketEnd: (base, offset) => cutter.bucketEnd(base, offset),
    addTotals(rows) {
      if (!hasValues(rows)) return;
      const slot = cutter.slotAt(rows.base, rows.firstOffset(rows.from), rows.tags);
      if (slot === undefined) return;
      states.reserve(slots.count);
      firstTimes?.offer(slot, rows.base + BigInt(rows.firstOffset(rows.from)), slots.count);
      states.addTotals(rows, slot);
    },
    give() {
      end();
      // Whoever joins it notes the places of its slots.
      memory.take(slots.count * Uint32Array.BYTES_PER_ELEMENT);
      return {
        count: slots.count,
        groups: Array.from({ length: groups.count }, (_, group) => groups.valuesOf(group)),
        groupOf: slots.groupOf,
        bucketOf: slots.bucketOf,
        firstTimes: firstTimes?.give(),
        parameters: states.give(),
      };
    },
    async join(given, pace) {
      const { count, groupOf, bucketOf: bucketOfSlot } = given;
      const ofGroups = Uint32Array.from(given.groups, groups.groupWith);
      const places = new Uint32Array(count);
      for (let slot = 0; slot < count; slot++) {
        places[slot] = slots.slotOf(ofGroups[groupOf[slot]!]!, bucketOfSlot[slot]!);
        const turn = slot % slotsOfTurn === 0 ? pace() : undefined;
        if (turn !== undefined) await turn;
      }
      states.reserve(slots.count);
      states.join(given.parameters, places);
      if (given.firstTimes !== undefined) firstTimes?.join(given.firstTimes, places, slots.count);
    },
    finish(pace) {
      end();
      return finishedBlocks(
        { plan, groups, slots, grid, timeOfSlot: firstTimes?.timeOf },
        states,
        memory,
        pace,
      );
    },
  };
}

/**
 * The answer to a plan. It is no generator of each aggregator: for each generator function that runs the engine makes a
 * hidden class, which holds all that the function knows until a full collection of garbage.
 */
async function* finishedBlocks(
  gathered: Gathered,
  states: ColumnStates,
  memory: QueryMemory,
  pace: Pace,
): AsyncGenerator<ResultBlock> {
  const { plan, groups, slots } = gathered;
  const finishing = states.finish(slots.count, pace);
  if (finishing !== undefined) await finishing;
  const rows = await answerRows(gathered, memory, pace);
  yield* resultBlocks(plan, groups, rows, states.results, memory, pace);
}

function timesOfSlots(memory: QueryMemory) {
  let times = new BigInt64Array(0);
  let seen = 0;

  function reserve(slotCount: number): void {
    if (slotCount > times.length) times = enlarge(times, roomFor(slotCount, times.length), memory);
  }

  function take(slot: number, time: bigint): void {
    if (slot >= seen || time < times[slot]!) times[slot] = time;
    if (slot >= seen) seen = slot + 1;
  }

  return {
    timeOf: (slot: number): bigint => times[slot]!,
    /** Rows of a slot of which the first is at a time. */
    offer(slot: number, time: bigint, slotCount: number): void {
      reserve(slotCount);
      take(slot, time);
    },
    give: () => times,
    join(given: BigInt64Array, slots: Uint32Array, slotCount: number): void {
      reserve(slotCount);
      for (let i = 0; i < slots.length; i++) take(slots[i]!, given[i]!);
    },
    add({ base, offsetOf }: RowTimes, { count, ends, slots }: Runs, slotCount: number): void {
      reserve(slotCount);
      for (let run = 0, row = 0; run < count; row = ends[run++]!) {
        const slot = slots[run]!;
        if (slot === skipped) continue;
        take(slot, base + BigInt(offsetOf(row)));
      }
    },
  };
}
