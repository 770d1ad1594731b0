import { Kind } from '../domain/parameter-data.ts';
import type { ByteResults, NumberResults } from './accumulator.ts';
import { counts } from './counts.ts';
import { maxima, minima, spread } from './extremes.ts';
import { keptValues } from './kept-values.ts';
import { moments } from './moments.ts';
import { addDecoded, type ParameterStates } from './parameter-states.ts';
import type { Pause } from './pause.ts';
import { bytePicks, type Edge, numberPicks } from './picks.ts';
import type { AggregatePlan } from './plan.ts';
import type { QueryMemory } from './query-memory.ts';
import type { KernelRows, RowTimes, Runs } from './runs.ts';
import { addStored, type StoredRows } from './stored-rows.ts';
import { sums } from './sums.ts';

/** A finished column of the answer; `bytes` where its values are strings, binaries or events. */
export type ColumnResults =
  | { readonly numbers: NumberResults; readonly bytes?: undefined }
  | { readonly bytes: ByteResults; readonly numbers?: undefined };

/** The states of all parameters of a plan and the columns that come of them. */
export interface ColumnStates {
  /** Aligned with `plan.parameters`. */
  readonly parameters: readonly ParameterStates[];
  /** Aligned with `plan.columns`; to be read after `finish`. */
  readonly results: readonly ColumnResults[];
  reserve(slots: number): void;
  add(rows: KernelRows, runs: Runs, times: RowTimes): void;
  addStored(rows: StoredRows, runs: Runs): void;
  /** A promise where values were kept, which takes its time. */
  finish(slots: number, pause: Pause): Promise<void> | undefined;
}

export function columnStates(plan: AggregatePlan, memory: QueryMemory): ColumnStates {
  const parameters: ParameterStates[] = plan.parameters.map(() => ({}));
  const results = plan.columns.map(({ parameter, aggregation }): ColumnResults => {
    const isNumeric = plan.parameters[parameter]!.kind === Kind.Numeric;
    const state = <Name extends keyof ParameterStates>(
      name: Name,
      make: (memory: QueryMemory) => NonNullable<ParameterStates[Name]>,
    ) => stateOf(parameters[parameter]!, name, () => make(memory));
    const max = () => state('maxima', maxima).result;
    const min = () => state('minima', minima).result;
    const kept = () => state('kept', keptValues);
    const pick = (edge: Edge): ColumnResults =>
      isNumeric
        ? { numbers: state(`${edge}Number`, () => numberPicks(edge, memory)).result }
        : { bytes: state(`${edge}Bytes`, () => bytePicks(edge, memory)).result };
    switch (aggregation) {
      case 'Count':
        return { numbers: state('counts', counts).result };
      case 'First':
        return pick('first');
      case 'Last':
        return pick('last');
      case 'Sum':
        return { numbers: state('sums', sums).sum };
      case 'Mean':
        return { numbers: state('sums', sums).mean };
      case 'Max':
        return { numbers: max() };
      case 'Min':
        return { numbers: min() };
      case 'Spread':
        return { numbers: spread(max(), min()) };
      case 'StdDev':
        return { numbers: state('moments', moments).deviation };
      case 'Mode':
        return { numbers: kept().mode };
      default:
        return { numbers: kept().percentile(percents[aggregation]) };
    }
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
    addStored(rows, runs) {
      for (let i = 0; i < rows.columns.length; i++) {
        const column = rows.columns[i];
        if (column !== undefined) addStored(parameters[i]!, column, runs, rows);
      }
    },
    finish(slots, pause) {
      return parameters.some(({ kept }) => kept !== undefined)
        ? finishKept(parameters, slots, pause)
        : undefined;
    },
  };
}

async function finishKept(
  parameters: readonly ParameterStates[],
  slots: number,
  pause: Pause,
): Promise<void> {
  for (const { kept } of parameters) await kept?.finish(slots, pause);
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

const percents = { Median: 50, P50: 50, P90: 90, P95: 95, P99: 99 } as const;
