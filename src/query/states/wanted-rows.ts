import type { QueryMemory } from '../bounds/query-memory.ts';
import { runCutter } from '../runs/run-cutter.ts';
import { giveBack, type ScratchRuns, skipped, takeScratch } from '../runs/runs.ts';
import { maxima, minima } from './extremes.ts';
import type { ParameterStates } from './parameter-states.ts';
import { numberPicks } from './picks.ts';
import { addStored, type StoredColumn, type StoredRows } from './stored-rows.ts';
import { sums } from './sums.ts';

/** The rows of a block that are wanted, whatever their tags are, and totals of their values. */
export interface WantedRows {
  readonly count: number;
  /** Offsets of the first and the last of them; 0 where there is none. */
  readonly first: number;
  readonly last: number;
  /**
   * The sum of a dense column of numbers, added in twice the precision and rounded once; NaN where one of the values is
   * not a number.
   */
  sumOf(column: StoredColumn): number;
  /** Of such a column. The smallest and the largest are NaN where no value is a number. */
  endsOf(column: StoredColumn): ColumnEnds;
}

/** Values at the ends of a column: by time and by size. */
export interface ColumnEnds {
  readonly first: number;
  readonly last: number;
  readonly min: number;
  readonly max: number;
}

/** Finds the wanted rows of a block for `use`; they are valid until it returns. */
export function withWantedRows<Result>(rows: StoredRows, use: (left: WantedRows) => Result): Result {
  const scratch = takeScratch();
  try {
    return use(wantedRows(rows, scratch));
  } finally {
    giveBack(scratch);
  }
}

function wantedRows(rows: StoredRows, scratch: ScratchRuns): WantedRows {
  const { runs } = scratch;
  runCutter({ runs, groups: oneGroup, slots: oneSlot, wanted: undefined, buckets: undefined }).cut(rows);
  let [count, firstRow, lastRow] = [0, -1, -1];
  for (let run = 0, from = 0; run < runs.count; run++) {
    const to = runs.ends[run]!;
    if (runs.slots[run] !== skipped) {
      count += to - from;
      if (firstRow < 0) firstRow = from;
      lastRow = to - 1;
    }
    from = to;
  }

  function add(states: ParameterStates, column: StoredColumn): void {
    for (const state of Object.values(states)) state.reserve(1);
    if (count > 0) addStored(states, column, scratch, rows);
  }

  return {
    count,
    first: count === 0 ? 0 : rows.offsetOf(firstRow),
    last: count === 0 ? 0 : rows.offsetOf(lastRow),
    sumOf(column) {
      const state = sums(uncounted);
      add({ sums: state }, column);
      if (count === 0) return 0;
      return state.countOf(0) === count ? state.sum.valueOf(0) : Number.NaN;
    },
    endsOf(column) {
      const [max, min] = [maxima(uncounted), minima(uncounted)];
      const [first, last] = [numberPicks('first', uncounted), numberPicks('last', uncounted)];
      add({ maxima: max, minima: min, firstNumber: first, lastNumber: last }, column);
      const [f, l, least, most] = [first, last, min, max].map(({ result }) => result.valueOf(0));
      return { first: f!, last: l!, min: least!, max: most! };
    },
  };
}

const oneGroup = { byTags: false, groupOf: () => 0 };
const oneSlot = { slotOf: () => 0 };
/** One slot is no memory to speak of. */
const uncounted: QueryMemory = { bytes: () => 0, take() {}, release() {}, apart: () => uncounted };
