import { type Column, isPresent, Kind } from '../../domain/parameter-data.ts';
import type { Aggregation } from '../../domain/query.ts';
import type { ResultBlock } from '../../domain/result.ts';
import { minTimestamp } from '../../domain/timestamp.ts';
import type { GroupValues } from '../groups/group-table.ts';
import type { ValueBefore, ValuesBefore } from '../groups/values-before.ts';
import { type AggregateColumn, type AggregatePlan, isAggregate, type ReadPlan } from '../plan/plan.ts';

/** A plan and, where it looks back, the one that reads the last value of each parameter and group before its range. */
export function withPlanBefore(
  plan: ReadPlan | AggregatePlan,
): readonly [ReadPlan | AggregatePlan] | readonly [AggregatePlan, AggregatePlan] {
  if (!isAggregate(plan) || plan.buckets?.lookBack !== true) return [plan];
  return plan.hasFrom && plan.from > minTimestamp ? [plan, planBefore(plan)] : [plan];
}

function planBefore(plan: AggregatePlan): AggregatePlan {
  const columns = new Map<number, AggregateColumn>();
  for (const { parameter } of plan.columns) {
    const kind = plan.parameters[parameter]?.kind ?? Kind.Numeric;
    columns.set(parameter, { parameter, aggregation: 'Last', name: `last ${parameter}`, kind });
  }
  return {
    ...plan,
    ...(plan.calculated && { calculated: { ...plan.calculated, sumsFrom: plan.from } }),
    ...{ from: minTimestamp, to: plan.from - 1n, hasFrom: false, hasTo: true },
    columns: [...columns.values()],
    ...{ buckets: undefined, order: 'Asc', limit: undefined, after: undefined },
  };
}

/** Roughly what the engine takes for a value and its place. */
const valueBytes = 24;

/**
 * @param before its answer
 * @param take told of bytes that are held
 */
export async function valuesBefore(
  plan: AggregatePlan,
  before: AggregatePlan,
  answer: AsyncIterable<ResultBlock>,
  take: (bytes: number) => void,
): Promise<ValuesBefore> {
  const groups: GroupValues[] = [];
  const columns = plan.columns.map((): ValueBefore[] => []);
  const places = new Map(before.columns.map(({ parameter }, i) => [parameter, i]));
  for await (const block of answer) {
    take(block.count * valueBytes * (1 + columns.length + block.tags.length));
    for (let row = 0; row < block.count; row++)
      groups.push(block.tags.map(({ texts, index }) => texts[index?.[row] ?? 0]));
    for (const [i, { parameter, aggregation }] of plan.columns.entries()) {
      const column = block.columns[places.get(parameter)!];
      for (let row = 0; row < block.count; row++)
        columns[i]!.push(column === undefined ? undefined : ofOneRow(aggregation, valueAt(column, row)));
    }
  }
  return { groups, columns };
}

function valueAt(column: Column, row: number): ValueBefore {
  if (!isPresent(column.present, row)) return undefined;
  if (column.kind === Kind.Numeric) return column.values[row]!;
  return column.bytes.slice(row === 0 ? 0 : column.ends[row - 1]!, column.ends[row]!);
}

/** What a bucket gives that has nothing but that row. */
function ofOneRow(aggregation: Aggregation, value: ValueBefore): ValueBefore {
  if (value === undefined || aggregation === 'StdDev') return undefined;
  if (aggregation === 'Count') return 1;
  if (typeof value !== 'number' || aggregation === 'First' || aggregation === 'Last') return value;
  if (Number.isNaN(value)) return undefined;
  return aggregation === 'Spread' ? value - value : value;
}
