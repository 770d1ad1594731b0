import { isPresent } from '../domain/parameter-data.ts';
import { isoFromMillis } from '../domain/timestamp.ts';
import type { Steps } from '../turns/steps.ts';
import type { OperandRows } from './operand-rows.ts';
import { slice } from './row-steps.ts';
import { Firing, firstAfter, type RowAhead, type RuleChange, type RuleState } from './rule-state.ts';

/**
 * The shortest time between two events that tell of such rows, and how long after the last of them they are among
 * what failed.
 */
export const toldEveryMs = 3_600_000;

/** Rows of a write, in order of time: those that the clock allows, and those that are too far ahead of it. */
export interface SplitRows {
  readonly within: readonly OperandRows[];
  readonly ahead: readonly OperandRows[];
}

/** @param limit the last time (ns) that the clock allows */
export function splitAhead(all: readonly OperandRows[], limit: bigint): SplitRows {
  const last = all.at(-1);
  if (last === undefined || timeAt(last, last.count - 1) <= limit) return { within: all, ahead: [] };
  const within: OperandRows[] = [];
  const ahead: OperandRows[] = [];
  for (const rows of all) {
    const cut = firstAfter(rows, limit);
    if (cut > 0) within.push(slice(rows, 0, cut));
    if (cut < rows.count) ahead.push(slice(rows, cut, rows.count));
  }
  return { within, ahead };
}

/** What of rows is left out. */
export interface LeftOut {
  readonly count: number;
  /** The one that is furthest ahead, its place in `rows`, and its time (ns). */
  readonly row: number;
  readonly rows: OperandRows;
  readonly time: bigint;
}

/** Rows of a step. */
const stepRows = 16_384;

/** Undefined where none of the rows has a value of one of the parameters. In steps. */
export function* leftOut(
  ahead: readonly OperandRows[],
  operands: readonly string[],
): Steps<LeftOut | undefined> {
  let count = 0;
  let found: Pick<LeftOut, 'row' | 'rows'> | undefined;
  for (const rows of ahead) {
    const own = operands.map((name) => rows.columns.get(name)).filter((column) => column !== undefined);
    let last = -1;
    for (let row = 0; row < rows.count; row++) {
      if (own.some(({ present }) => isPresent(present, row))) {
        count++;
        last = row;
      }
      if (row % stepRows === stepRows - 1) yield;
    }
    if (last >= 0) found = { row: last, rows };
  }
  return found && { count, time: timeAt(found.rows, found.row), ...found };
}

/**
 * The state after rows that were left out. They are no silence: what fires for it is over, at the time at which they came.
 *
 * @param before after the other rows of the write
 */
export function afterAhead(
  before: RuleState | undefined,
  { time, row }: Pick<LeftOut, 'time' | 'row'>,
  cameAt: number,
  onChange: (change: RuleChange) => void,
): RuleState {
  const { evaluated, since, firing = Firing.No, memory } = before ?? {};
  let changedAt = before?.changedAt;
  if (firing === Firing.Silence) {
    changedAt = later(nanoseconds(cameAt), changedAt === undefined ? undefined : changedAt + 1n);
    onChange({ state: 'resolved', time: changedAt, row });
  }
  const toldAt = isToTell(before?.ahead, cameAt) ? cameAt : before!.ahead!.toldAt;
  return {
    evaluated,
    since,
    firing: firing === Firing.Silence ? Firing.No : firing,
    changedAt,
    heardAt: cameAt,
    ahead: { time, cameAt, toldAt },
    memory,
  };
}

/** Whether an event is to tell of a row that comes now (ms). One that was told of later was told by a clock that was wrong. */
export function isToTell(before: RowAhead | undefined, now: number): boolean {
  return before === undefined || before.toldAt > now || now - before.toldAt >= toldEveryMs;
}

/** What is told of a row that came in the last hour. */
export function problemOfAhead({ ahead }: Pick<RuleState, 'ahead'>, now: number): string | undefined {
  if (ahead === undefined || ahead.cameAt > now || now - ahead.cameAt >= toldEveryMs) return undefined;
  const { time, cameAt } = ahead;
  return `rows are left out: one of ${isoOf(time)} came at ${isoFromMillis(cameAt)}, further ahead of the service's clock than --rows-ahead allows`;
}

/** A state whose place is further ahead than the clock allows was made by a row, or a clock, that was wrong: it begins anew. */
export function believed<State extends RuleState>(state: State, limit: bigint): State {
  if (state.evaluated === undefined || state.evaluated <= limit) return state;
  return { ...state, evaluated: undefined, since: undefined, memory: undefined };
}

export function nanoseconds(milliseconds: number): bigint {
  return BigInt(Math.floor(milliseconds)) * 1_000_000n;
}

/** ISO 8601 UTC, to the millisecond; also of years that have five digits. */
export function isoOf(time: bigint): string {
  return isoFromMillis(Number(time / 1_000_000n));
}

function timeAt({ base, offsets }: OperandRows, row: number): bigint {
  return base + BigInt(offsets[row]!);
}

function later(a: bigint, b: bigint | undefined): bigint {
  return b === undefined || a > b ? a : b;
}
