import { Kind, type ParameterKey } from '../../domain/parameter-data.ts';
import type { RequestedCalculation } from '../../expression/calculation.ts';
import { looksAhead } from '../../expression/look-ahead.ts';
import type { Expression } from '../../expression/syntax.ts';

/** What a plan has calculated from the parameters that it reads. */
export interface Calculated {
  /** So many of the plan's parameters, from the first on, are asked for by themselves; the others are operands only. */
  readonly requested: number;
  readonly columns: readonly CalculatedColumn[];
  /** When `integral` and `sum` begin (ns); without it with the plan's `from`. */
  readonly sumsFrom?: bigint;
}

export interface CalculatedColumn extends PlacedExpression {
  readonly name: string;
  /** Streams of some topics have expressions of their own. */
  readonly perTopic?: readonly (PlacedExpression & {
    /** Folded; each in one entry. */
    readonly topics: readonly string[];
  })[];
}

export interface PlacedExpression {
  readonly expression: Expression;
  /** For each parameter of the expression its place among the plan's parameters. */
  readonly operands: readonly number[];
}

/** The expressions that a column has, of whichever topic. */
export function expressionsOf(column: CalculatedColumn): readonly PlacedExpression[] {
  return column.perTopic === undefined ? [column] : [column, ...column.perTopic];
}

/** A plan, as far as it says what is calculated. */
export interface MayCalculate {
  readonly parameters: readonly ParameterKey[];
  readonly calculated?: Calculated | undefined;
}

/** Whether a calculated column depends on more than its own row. */
export function runsAlongRows({ calculated }: MayCalculate): boolean {
  return (
    calculated?.columns.some((column) =>
      expressionsOf(column).some(({ expression }) => expression.lookBack !== undefined),
    ) ?? false
  );
}

/** Whether a calculated column depends on rows behind its own. */
export function plansAhead({ calculated }: Pick<MayCalculate, 'calculated'>): boolean {
  return (
    calculated?.columns.some((column) =>
      expressionsOf(column).some(({ expression }) => looksAhead(expression.root)),
    ) ?? false
  );
}

/** The columns that rows have once they are calculated: parameters that are asked for, then calculated ones. */
export function calculatedKeys({ parameters, calculated }: MayCalculate): readonly ParameterKey[] {
  if (calculated === undefined) return parameters;
  return [
    ...parameters.slice(0, calculated.requested),
    ...calculated.columns.map(({ name }) => ({ kind: Kind.Numeric, name })),
  ];
}

/**
 * Adds the operands of calculated columns to the parameters of a query.
 *
 * @param requested distinct
 */
export function planCalculated(
  requested: readonly ParameterKey[],
  calculations: readonly RequestedCalculation[],
): { readonly parameters: readonly ParameterKey[]; readonly calculated: Calculated } {
  const parameters = [...requested];
  const places = new Map<string, number>();
  for (const [place, { kind, name }] of requested.entries())
    if (kind === Kind.Numeric) places.set(name, place);
  const placeOf = (name: string): number => {
    const known = places.get(name);
    if (known !== undefined) return known;
    places.set(name, parameters.length);
    return parameters.push({ kind: Kind.Numeric, name }) - 1;
  };
  const placed = (expression: Expression) => ({ expression, operands: expression.parameters.map(placeOf) });
  const columns: CalculatedColumn[] = [];
  const known = new Map<string, Expression>();
  for (const { name, expression, perTopic } of calculations) {
    // A column may be aggregated in several ways.
    if (known.get(name) === expression) continue;
    known.set(name, expression);
    columns.push({
      name,
      ...placed(expression),
      ...(perTopic && {
        perTopic: perTopic.map((own) => ({ topics: own.topics, ...placed(own.expression) })),
      }),
    });
  }
  return { parameters, calculated: { requested: requested.length, columns } };
}
