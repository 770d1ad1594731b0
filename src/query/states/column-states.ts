import { Kind } from '../../domain/parameter-data.ts';
import type { Pace } from '../../turns/pace.ts';
import type { QueryMemory } from '../bounds/query-memory.ts';
import type { AggregatePlan } from '../plan/plan.ts';
import type { DecodedRows, RowTimes } from '../runs/rows-to-aggregate.ts';
import type { Runs, ScratchRuns } from '../runs/runs.ts';
import { aggregationRecord, type ColumnResults, type StateMaker } from './aggregations.ts';
import {
  addDecoded,
  giveStates,
  joinStates,
  type ParameterStates,
  type PartialStates,
} from './parameter-states.ts';
import { addStored, type StoredRows } from './stored-rows.ts';
import { addTotals, type TotalRows } from './total-rows.ts';

/** The states of all parameters of a plan and the columns that come of them. */
export interface ColumnStates {
  /** Aligned with `plan.parameters`. */
  readonly parameters: readonly ParameterStates[];
  /** Aligned with `plan.columns`; to be read after `finish`. */
  readonly results: readonly ColumnResults[];
  reserve(slots: number): void;
  add(rows: DecodedRows, runs: Runs, times: RowTimes): void;
  /** `scratch.runs` are those of the rows. */
  addStored(columns: StoredRows['columns'], scratch: ScratchRuns, times: RowTimes): void;
  /** Adds rows that fall into one slot, and of which the totals are enough. */
  addTotals(rows: TotalRows, slot: number): void;
  /** Those of all parameters as plain data; nothing can be added afterwards. */
  give(): PartialStates[];
  /** Joins the states that another one of the same plan gave; `slots` has the slot here of each slot there. */
  join(given: readonly PartialStates[], slots: Uint32Array): void;
  /** A promise where values were kept: to sort them takes time. */
  finish(slots: number, pace: Pace): Promise<void> | undefined;
}

export function columnStates(plan: AggregatePlan, memory: QueryMemory): ColumnStates {
  const parameters: ParameterStates[] = plan.parameters.map(() => ({}));
  const results = plan.columns.map(({ parameter, aggregation }): ColumnResults => {
    const isNumeric = plan.parameters[parameter]!.kind === Kind.Numeric;
    const state: StateMaker = (name, make) => stateOf(parameters[parameter]!, name, () => make(memory));
    return aggregationRecord(aggregation).results(state, isNumeric);
  });
  const accumulators: { reserve(slots: number): void }[] = [];
  for (const states of parameters) accumulators.push(...Object.values(states));
  return {
    parameters,
    results,
    reserve(slots) {
      for (const accumulator of accumulators) accumulator.reserve(slots);
    },
    add({ columns }, runs, times) {
      for (let i = 0; i < columns.length; i++) {
        const column = columns[i];
        if (column !== undefined) addDecoded(parameters[i]!, column, runs, times);
      }
    },
    addStored(columns, scratch, times) {
      for (let i = 0; i < columns.length; i++) {
        const column = columns[i];
        if (column !== undefined) addStored(parameters[i]!, column, scratch, times);
      }
    },
    addTotals(rows, slot) {
      for (let i = 0; i < rows.columns.length; i++) {
        const column = rows.columns[i];
        if (column !== undefined) addTotals(parameters[i]!, slot, column, rows);
      }
    },
    give: () => parameters.map(giveStates),
    join(given, slots) {
      for (let i = 0; i < given.length; i++) joinStates(parameters[i]!, given[i]!, slots);
    },
    finish(slots, pace) {
      return parameters.some(({ kept }) => kept !== undefined)
        ? finishKept(parameters, slots, pace)
        : undefined;
    },
  };
}

async function finishKept(parameters: readonly ParameterStates[], slots: number, pace: Pace): Promise<void> {
  for (const { kept } of parameters) await kept?.finish(slots, pace);
}

/** The state of that name, made where there is none yet. */
function stateOf<Name extends keyof ParameterStates>(
  states: ParameterStates,
  name: Name,
  make: () => NonNullable<ParameterStates[Name]>,
): NonNullable<ParameterStates[Name]> {
  const held = states[name] ?? make();
  states[name] = held;
  return held;
}
