import { Kind } from '../domain/parameter-data.ts';
import type { Accumulator, ByteResults, NumberResults } from './accumulator.ts';
import { type Counts, counts } from './counts.ts';
import { type Extremes, maxima, minima, spread } from './extremes.ts';
import { type KeptValues, keptValues } from './kept-values.ts';
import { type Moments, moments } from './moments.ts';
import type { Pause } from './pause.ts';
import { type BytePicks, bytePicks, type Edge, type NumberPicks, numberPicks } from './picks.ts';
import type { AggregatePlan } from './plan.ts';
import type { QueryMemory } from './query-memory.ts';
import type { KernelRows, Runs } from './runs.ts';
import { type Sums, sums } from './sums.ts';

/** What is kept of one parameter: only the states that its aggregations need, each once. */
export interface ParameterStates {
  counts?: Counts;
  sums?: Sums;
  maxima?: Extremes;
  minima?: Extremes;
  moments?: Moments;
  kept?: KeptValues;
  firstNumber?: NumberPicks;
  lastNumber?: NumberPicks;
  firstBytes?: BytePicks;
  lastBytes?: BytePicks;
}

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
  add(rows: KernelRows, runs: Runs): void;
  finish(slots: number, pause: Pause): Promise<void>;
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
  const accumulators = parameters.map((states) => Object.values(states) as Accumulator[]);
  return {
    parameters,
    results,
    reserve(slots) {
      for (const list of accumulators) for (const accumulator of list) accumulator.reserve(slots);
    },
    add(rows, runs) {
      for (let i = 0; i < accumulators.length; i++) {
        const column = rows.columns[i];
        if (column === undefined) continue;
        for (const accumulator of accumulators[i]!) accumulator.add(column, runs, rows);
      }
    },
    async finish(slots, pause) {
      for (const { kept } of parameters) await kept?.finish(slots, pause);
    },
  };
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
