import type { AlertState } from '../domain/alert.ts';
import { isPresent } from '../domain/parameter-data.ts';
import { maxTimestamp } from '../domain/timestamp.ts';
import type { NumberColumn } from '../expression/column.ts';

/** Why a rule fires: not at all, for what rows say, or because no rows come. */
export const Firing = { No: 0, Rows: 1, Silence: 2 } as const;
export type Firing = (typeof Firing)[keyof typeof Firing];

/** A row that was too far ahead of the service's clock: a rule leaves it out, and tells so. */
export interface RowAhead {
  /** The time of the row, ns. */
  readonly time: bigint;
  /** When it came, by the service's clock (ms). */
  readonly cameAt: number;
  /** When an event last told of such rows (ms). */
  readonly toldAt: number;
}

/** What a rule remembers of a stream from write to write. */
export interface RuleState {
  /** The time (ns) of the last row that was evaluated: rows that are not newer are left out. Undefined where none was yet. */
  readonly evaluated: bigint | undefined;
  /** The time (ns) of the first of the run of true rows that goes on; undefined where none does. */
  readonly since: bigint | undefined;
  readonly firing: Firing;
  /** The time (ns) of the last change; undefined where there was none. */
  readonly changedAt: bigint | undefined;
  /** When the last row came that was evaluated, or was too far ahead of the clock; by the service's clock (ms). */
  readonly heardAt: number;
  /** The last row that was too far ahead; undefined where none was. */
  readonly ahead: RowAhead | undefined;
  /** What functions along rows remember (rule-memory.ts); undefined where each row stands for itself. */
  readonly memory?: string | undefined;
}

/** The rule begins to fire, or stops, at a row. */
export interface RuleChange {
  readonly state: AlertState;
  /** Nanoseconds. */
  readonly time: bigint;
  /** The row that made it so. */
  readonly row: number;
}

/** Rows as a rule sees them. */
export interface JudgedRows {
  readonly count: number;
  /** Nanoseconds; row i is at `base + offsets[i]`. */
  readonly base: bigint;
  /** Ascending; rows of one time stand together. */
  readonly offsets: Float64Array;
  /** Anything but 0 is true. Undefined where no row has a value. */
  readonly isTrue: NumberColumn | undefined;
  /** The same of `clear`. */
  readonly clears: NumberColumn | undefined;
}

/** What of a rule the rows are followed by. */
export interface RuleTerms {
  /** Nanoseconds, below 2^53. */
  readonly forNs: number;
  readonly hasClear: boolean;
}

/**
 * Follows rows from one state to the next; undefined where there was no row to evaluate and no state before.
 *
 * Rows of one time count as one, which is true where any of them is. A row in which neither expression has a value is not
 * there. It fires at the first true row that is at least `for` later than the first of an unbroken run of them. It resolves
 * at the first row in which `clear` is true; without `clear`, at the first that is not true. That row begins no new run.
 * What fires for silence ends with the next row, and goes on without a change where that row lets the rule fire itself.
 *
 * @param onChange told of each change, in order
 */
export function followRows(
  { forNs, hasClear }: RuleTerms,
  before: RuleState | undefined,
  rows: JudgedRows,
  heardAt: number,
  onChange: (change: RuleChange) => void,
): RuleState | undefined {
  const { count, base, offsets, isTrue, clears } = rows;
  let firing: Firing = before?.firing ?? Firing.No;
  let changedAt = before?.changedAt;
  let since = before?.since === undefined ? undefined : Number(before.since - base);
  let runBegan = before?.since;
  let last = -1;

  const change = (state: AlertState, offset: number, row: number): void => {
    changedAt = base + BigInt(offset);
    onChange({ state, time: changedAt, row });
  };

  let row = firstNewer(rows, before);
  while (row < count) {
    if (
      firing === Firing.No &&
      clears === undefined &&
      isTrue !== undefined &&
      isTrue.present === undefined
    ) {
      // Mostly a rule is not true, row after row.
      const next = firstTrue(isTrue.values, row, count);
      // Rows of the time of a true one are true with it.
      const end = next === count ? count : firstOf(offsets, next);
      if (end > row) {
        last = offsets[end - 1]!;
        since = undefined;
        runBegan = undefined;
        row = end;
        if (row === count) break;
      }
    }
    const offset = offsets[row]!;
    let found = -1;
    let first = -1;
    let whenTrue = -1;
    let whenClear = -1;
    do {
      if (isTrue !== undefined && isPresent(isTrue.present, row)) {
        if (found < 0) found = row;
        if (whenTrue < 0 && isTrue.values[row] !== 0) whenTrue = row;
      }
      if (clears !== undefined && isPresent(clears.present, row)) {
        if (first < 0) first = row;
        if (whenClear < 0 && clears.values[row] !== 0) whenClear = row;
      }
      row++;
    } while (row < count && offsets[row] === offset);
    if (found < 0 && first < 0) continue;
    if (found >= 0) first = found;
    last = offset;

    if (firing === Firing.Rows) {
      const resolves = hasClear ? whenClear : whenTrue < 0 ? found : -1;
      if (resolves < 0) continue;
      firing = Firing.No;
      since = undefined;
      runBegan = undefined;
      change('resolved', offset, resolves);
      continue;
    }
    if (whenTrue >= 0) {
      if (since === undefined) {
        since = offset;
        runBegan = base + BigInt(offset);
      }
      if (offset - since >= forNs) {
        if (firing === Firing.No) change('firing', offset, whenTrue);
        firing = Firing.Rows;
      }
    } else if (found >= 0) {
      since = undefined;
      runBegan = undefined;
    }
    if (firing === Firing.Silence) {
      firing = Firing.No;
      change('resolved', offset, first);
    }
  }
  if (last < 0) return before;
  const evaluated = base + BigInt(last);
  return { evaluated, since: runBegan, firing, changedAt, heardAt, ahead: before?.ahead, memory: undefined };
}

/** The first row from `from` on that is true; `count` where none is. */
function firstTrue(values: Float64Array, from: number, count: number): number {
  let row = from;
  while (row < count && values[row] === 0) row++;
  return row;
}

/** The first of the rows that have the time of this one. */
function firstOf(offsets: Float64Array, row: number): number {
  let first = row;
  while (first > 0 && offsets[first - 1] === offsets[row]) first--;
  return first;
}

/**
 * The state after a stream was silent for too long. The change has the first nanosecond after the last row that was evaluated,
 * where the silence began: it follows from the state, whoever sees it, and no later row is before it. Where rows came last that
 * were left out, it is the time at which they came.
 *
 * @param limit the last time (ns) that the clock allows
 */
export function afterSilence<State extends RuleState>(state: State, limit: bigint): State {
  const { evaluated, changedAt, heardAt, ahead } = state;
  const came = min(BigInt(Math.floor(heardAt)) * 1_000_000n, limit);
  const isCameLast = ahead?.cameAt === heardAt || evaluated === undefined || evaluated > limit;
  let last = isCameLast ? came - 1n : evaluated;
  for (const time of [evaluated, changedAt])
    if (time !== undefined && time <= limit && time > last) last = time;
  return { ...state, firing: Firing.Silence, changedAt: min(last + 1n, maxTimestamp) };
}

function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

/** The first of rows that is newer than the last one that was evaluated. */
export function firstNewer(
  rows: Parameters<typeof firstAfter>[0],
  before: Pick<RuleState, 'evaluated'> | undefined,
): number {
  return before?.evaluated === undefined ? 0 : firstAfter(rows, before.evaluated);
}

/** The first of rows that is after a time (ns). */
export function firstAfter(
  { count, base, offsets }: Pick<JudgedRows, 'count' | 'base' | 'offsets'>,
  time: bigint,
): number {
  if (count === 0 || base + BigInt(offsets[count - 1]!) <= time) return count;
  if (base > time) return 0;
  const cut = Number(time - base);
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (offsets[middle]! <= cut) low = middle + 1;
    else high = middle;
  }
  return low;
}
