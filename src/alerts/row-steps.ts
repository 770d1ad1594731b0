import { sliceRows } from '../domain/slice-rows.ts';
import type { NumberColumn } from '../expression/column.ts';
import type { Steps } from '../turns/steps.ts';
import type { OperandRows } from './operand-rows.ts';
import type { RuleState } from './rule-state.ts';

/** Rows of a step. */
const stepRows = 16_384;

/** Some of the rows, from one of them on. */
interface RowStep {
  readonly rows: OperandRows;
  readonly from: number;
}

/** Follows rows from one state to the next, some at a time. */
export function* followSteps(
  before: RuleState | undefined,
  rows: OperandRows,
  follow: (step: RowStep, state: RuleState | undefined) => RuleState | undefined,
): Steps<RuleState | undefined> {
  let state = before;
  for (let from = 0; from < rows.count; ) {
    if (from > 0) yield;
    const to = endOfStep(rows, from);
    state = follow({ rows: slice(rows, from, to), from }, state);
    from = to;
  }
  return state;
}

/** Where a step ends: rows of one time stay together. */
function endOfStep({ count, offsets }: OperandRows, from: number): number {
  let to = Math.min(from + stepRows, count);
  if (to === count) return to;
  const cut = to;
  while (to > from && offsets[to] === offsets[to - 1]) to--;
  if (to > from) return to;
  for (to = cut; to < count && offsets[to] === offsets[to - 1]; ) to++;
  return to;
}

/** The rows [from, to), sharing arrays where that is possible. */
export function slice(rows: OperandRows, from: number, to: number): OperandRows {
  if (from === 0 && to === rows.count) return rows;
  const names = [...rows.columns.keys()];
  const cut = sliceRows(
    { count: rows.count, offsets: rows.offsets, tagIndex: undefined, columns: [...rows.columns.values()] },
    from,
    to,
  );
  return {
    count: cut.count,
    base: rows.base,
    offsets: cut.offsets,
    columns: new Map(names.map((name, i) => [name, cut.columns[i] as NumberColumn])),
  };
}
