import { isPresent } from '../domain/parameter-data.ts';
import type { NumberColumn } from '../expression/column.ts';
import type { SavedRows } from '../expression/evaluate.ts';
import type { Steps } from '../turns/steps.ts';
import type { OperandRows } from './operand-rows.ts';
import { followSteps, slice } from './row-steps.ts';
import { memoryText, savedOf } from './rule-memory.ts';
import {
  Firing,
  firstNewer,
  followRows,
  type JudgedRows,
  type RuleChange,
  type RuleState,
  type RuleTerms,
} from './rule-state.ts';

/** An expression of a rule, ready for rows. Rules of the same wording have the same one. */
export interface RuleEvaluator {
  judge(rows: OperandRows): NumberColumn | undefined;
  save(): SavedRows;
  /** Undefined where there were no rows before. */
  restore(saved: SavedRows | undefined): void;
}

/** Rows with what the expressions of a rule give for them. */
export function judgedRows(
  rows: OperandRows,
  isTrue: RuleEvaluator,
  clears: RuleEvaluator | undefined,
): JudgedRows {
  const { count, base, offsets } = rows;
  return { count, base, offsets, isTrue: isTrue.judge(rows), clears: clears?.judge(rows) };
}

/** A rule with functions along rows. */
export interface AlongRule {
  readonly operands: readonly string[];
  readonly isTrue: RuleEvaluator;
  readonly clears: RuleEvaluator | undefined;
  /** See `wordingOf`. */
  readonly wording: string;
  readonly terms: RuleTerms;
}

/**
 * As `follow` of a compiled rule. Its functions go along the rows in which one of its parameters has a value, each once: those
 * that are not newer than the last evaluated one are left out before anything looks at them. So the last one is the last
 * of these rows, also where the expressions have no value yet.
 */
export function* followAlong(
  { operands, isTrue, clears, wording, terms }: AlongRule,
  before: RuleState | undefined,
  rows: OperandRows,
  heardAt: number,
  onChange: (change: RuleChange) => void,
): Steps<RuleState | undefined> {
  const first = firstNewer(rows, before);
  const newer = slice(rows, first, rows.count);
  const places = placesOfValues(newer, operands);
  const valued = places === undefined ? newer : pick(newer, places);
  if (valued.count === 0) return before;
  const evaluators = clears === undefined ? [isTrue] : [isTrue, clears];
  let memory = before?.memory;
  const state = yield* followSteps(before, valued, ({ rows: some, from }, earlier) => {
    const saved = memory === undefined ? undefined : savedOf(wording, memory);
    for (const [i, one] of evaluators.entries()) one.restore(saved?.[i]);
    // What one evaluator gives may be gone when the other begins: they have memory of their own.
    const judged = judgedRows(some, isTrue, clears);
    memory = memoryText(
      wording,
      evaluators.map((one) => one.save()),
    );
    return followRows(terms, earlier, judged, heardAt, (change) => {
      const row = from + change.row;
      onChange({ ...change, row: first + (places?.[row] ?? row) });
    });
  });
  const evaluated = valued.base + BigInt(valued.offsets[valued.count - 1]!);
  const { since, firing, changedAt } = state ?? nothingYet;
  return { evaluated, since, firing, changedAt, heardAt, ahead: before?.ahead, memory };
}

const nothingYet: Pick<RuleState, 'since' | 'firing' | 'changedAt'> = {
  since: undefined,
  firing: Firing.No,
  changedAt: undefined,
};

/** The rows in which a parameter of the rule has a value; undefined where all are. */
function placesOfValues(
  { count, columns }: OperandRows,
  operands: readonly string[],
): Uint32Array | undefined {
  const own = operands.map((name) => columns.get(name)).filter((column) => column !== undefined);
  if (own.some(({ present }) => present === undefined)) return undefined;
  const places = new Uint32Array(count);
  let found = 0;
  for (let row = 0; row < count; row++)
    if (own.some(({ present }) => isPresent(present, row))) places[found++] = row;
  return found === count ? undefined : places.subarray(0, found);
}

function pick({ base, offsets, columns }: OperandRows, places: Uint32Array): OperandRows {
  const picked = [...columns].map(([name, { values, present }]): [string, NumberColumn] => {
    const own = new Float64Array(places.length);
    const has = new Uint8Array((places.length + 7) >> 3);
    for (const [i, row] of places.entries()) {
      if (!isPresent(present, row)) continue;
      own[i] = values[row]!;
      has[i >> 3]! |= 1 << (i & 7);
    }
    return [name, { values: own, present: has }];
  });
  return {
    count: places.length,
    base,
    offsets: Float64Array.from(places, (row) => offsets[row]!),
    columns: new Map(picked),
  };
}
