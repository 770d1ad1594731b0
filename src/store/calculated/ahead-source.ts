import { entryOf } from '../../domain/entry-of.ts';
import { type Column, Kind, type ParameterKey } from '../../domain/parameter-data.ts';
import { maxTimestamp, minTimestamp } from '../../domain/timestamp.ts';
import { expressionKey } from '../../expression/expression-key.ts';
import { withoutAhead } from '../../expression/look-ahead.ts';
import { followsFromRowsBefore, lookBackOf } from '../../expression/look-back.ts';
import { beginOfCell } from '../../expression/moving-mean.ts';
import type { CalculatedColumn, PlacedExpression } from '../../query/plan/calculated.ts';
import type { ReadPlan } from '../../query/plan/plan.ts';
import { compileTagFilters } from '../../query/plan/tag-predicate.ts';
import type { RowBlock } from '../row-block.ts';
import { rowsAfter } from './begin-of-page.ts';
import { pickRows } from './pick-rows.ts';
import type { RowSource } from './row-source.ts';
import { smoothedBlocks } from './smoothed-blocks.ts';
import { turnedRound } from './turn-round.ts';
import type { CalculatingPlan } from './with-columns.ts';

/** What stands in `smooth`, by the name of the parameter that is in its place. */
interface Smoothed {
  readonly operand: PlacedExpression;
  /** Nanoseconds before and behind a row. */
  readonly half: bigint;
  /** Of its parameter in the plan. */
  readonly place: number;
}

/** Gives the rows of a plan with what it calculates. */
type Calculate = (plan: CalculatingPlan, source: RowSource) => AsyncIterable<RowBlock>;

/**
 * The same plan with parameters in the place of what looks ahead, and a source that has these: it reads as much more
 * before and behind what is asked for, and holds rows until those behind them have come.
 */
export function withAheadSource(
  plan: CalculatingPlan,
  source: RowSource,
  calculate: Calculate,
): { readonly plan: CalculatingPlan; readonly source: RowSource } {
  const parameters: ParameterKey[] = [...plan.parameters];
  const smoothed = new Map<string, Smoothed>();

  function placed({ expression, operands }: PlacedExpression): PlacedExpression {
    const names = [...expression.parameters];
    const places = [...operands];
    const root = withoutAhead(expression.root, ({ operand, width }) => {
      const inner = { ...expression, root: operand, lookBack: lookBackOf(operand) };
      // It says all of it, for cursors are of one query; and nobody can write under a name with a control character.
      const name = `\0smooth ${width} ${operands.join()} ${expressionKey(inner)}`;
      const made = entryOf(smoothed, name, () => ({
        operand: { expression: inner, operands },
        half: width / 2n,
        place: parameters.push({ kind: Kind.Numeric, name }) - 1,
      }));
      names.push(name);
      return places.push(made.place) - 1;
    });
    return {
      expression: { ...expression, root, parameters: names, lookBack: lookBackOf(root) },
      operands: places,
    };
  }

  const columns = plan.calculated.columns.map(
    (column): CalculatedColumn => ({
      ...column,
      ...placed(column),
      ...(column.perTopic && { perTopic: column.perTopic.map((own) => ({ ...own, ...placed(own) })) }),
    }),
  );
  const sumsFrom = plan.calculated.sumsFrom ?? plan.from;
  const rows = (asked: ReadPlan, of: RowSource) =>
    aheadRows(asked, of, { plan, smoothed, sumsFrom, calculate });
  return {
    plan: { ...plan, parameters, calculated: { ...plan.calculated, columns } },
    source: {
      ...source,
      run: (asked) => rows(asked, source),
      runStream: (asked, stream) => {
        const run = (stored: ReadPlan) => source.runStream(stored, stream);
        return rows(asked, { ...source, run });
      },
    },
  };
}

interface AheadTerms {
  /** Whose parameters the operands are places of. */
  readonly plan: ReadPlan;
  readonly smoothed: ReadonlyMap<string, Smoothed>;
  readonly sumsFrom: bigint;
  readonly calculate: Calculate;
}

async function* aheadRows(asked: ReadPlan, source: RowSource, terms: AheadTerms): AsyncGenerator<RowBlock> {
  const wanted = asked.parameters.map(({ kind, name }) =>
    kind === Kind.Numeric ? terms.smoothed.get(name) : undefined,
  );
  if (wanted.every((one) => one === undefined)) {
    yield* source.run(asked);
    return;
  }
  const { after, pageRows: _, tagFilters, ...rest } = asked;
  const whole = { ...rest, tagFilters: [], limit: undefined, after: undefined };
  const { plan, places } = innerPlan(whole, wanted, terms);
  const isDescending = asked.order === 'Desc';
  const range = { from: asked.from, to: asked.to };
  if (after !== undefined && !isDescending && after.timestamp > range.from) range.from = after.timestamp;
  if (after !== undefined && isDescending && after.timestamp < range.to) range.to = after.timestamp;
  const hasTags = compileTagFilters(tagFilters);
  const isAfter = after && rowsAfter(after, isDescending);
  const calculate = (wide: CalculatingPlan) => terms.calculate(wide, source);
  const ascending = (from: bigint, to: bigint) => smoothedRows({ plan, places, wanted, from, to }, calculate);
  const blocks = isDescending ? fromTheEnd(plan, range, source, ascending) : ascending(range.from, range.to);
  for await (const block of blocks) {
    const kept = rowsWhere(
      block,
      (row) =>
        (hasTags === undefined || hasTags(block.tagSets[block.tagIndex?.[row] ?? 0]!)) &&
        (isAfter === undefined || isAfter(block, row)),
    );
    if (kept !== undefined) yield kept;
  }
}

/** What is read: the stored parameters that are asked for, what stands in `smooth`, and the operands of that. */
function innerPlan(
  asked: ReadPlan & { readonly after: undefined },
  wanted: readonly (Smoothed | undefined)[],
  { plan, sumsFrom }: AheadTerms,
): { readonly plan: CalculatingPlan; readonly places: readonly number[] } {
  const keyOf = ({ kind, name }: ParameterKey) => `${kind}:${name}`;
  const parameters = asked.parameters.filter((_, i) => wanted[i] === undefined);
  const requested = parameters.length;
  const known = new Map(parameters.map((key, place) => [keyOf(key), place]));
  const placeOf = (key: ParameterKey): number => {
    const place = known.get(keyOf(key)) ?? parameters.push(key) - 1;
    known.set(keyOf(key), place);
    return place;
  };
  const columns: CalculatedColumn[] = [];
  let stored = 0;
  const places = wanted.map((one, i) => {
    if (one === undefined) return stored++;
    const { expression, operands } = one.operand;
    const own = operands.map((place) => placeOf(plan.parameters[place]!));
    return requested + columns.push({ name: asked.parameters[i]!.name, expression, operands: own }) - 1;
  });
  const calculated = { requested, columns, sumsFrom };
  return { plan: { ...asked, parameters, calculated, order: 'Asc' }, places };
}

interface SmoothedRange {
  readonly plan: CalculatingPlan;
  /** By column that is asked for, its place among those of the plan. */
  readonly places: readonly number[];
  readonly wanted: readonly (Smoothed | undefined)[];
  /** Nanoseconds, both included. */
  readonly from: bigint;
  readonly to: bigint;
}

/** In order of time. */
async function* smoothedRows(
  { plan, places, wanted, from, to }: SmoothedRange,
  calculate: (wide: CalculatingPlan) => AsyncIterable<RowBlock>,
): AsyncGenerator<RowBlock> {
  if (from > to) return;
  const halves = wanted.flatMap((one) => (one === undefined ? [] : [one.half]));
  // A mean is added up anew in each of its cells, of the whole window: so it is the same wherever one begins.
  const begins = halves.map((half) => {
    const width = 2n * half + 1n;
    return beginOfCell(from, Number(width)) - width;
  });
  // What adds up begins with the first row that is asked for, on whichever page.
  const isFromBefore = plan.calculated.columns.every(({ expression }) =>
    followsFromRowsBefore(expression.root),
  );
  const { sumsFrom = from } = plan.calculated;
  const least = isFromBefore || sumsFrom > from ? from : sumsFrom;
  const begin = begins.reduce((first, one) => (one < first ? one : first), least);
  const half = halves.reduce((most, one) => (one > most ? one : most), 0n);
  const wide = {
    ...plan,
    from: begin < minTimestamp ? minTimestamp : begin,
    to: to + half > maxTimestamp ? maxTimestamp : to + half,
  };
  const smoothers = wanted.flatMap((one, i) => (one && [{ column: places[i]!, half: one.half }]) ?? []);
  for await (const block of smoothedBlocks(calculate(wide), smoothers)) {
    const columns = places.map((place): Column | undefined => block.columns[place]);
    const first = Number(from - block.base);
    const last = Number(to - block.base);
    const kept = rowsWhere(
      { ...block, columns },
      (row) => block.offsets[row]! >= first && block.offsets[row]! <= last,
    );
    if (kept !== undefined) yield kept;
  }
}

/** The last rows first: as much at a time as the source has of the stored ones. */
async function* fromTheEnd(
  { calculated: _, ...stored }: CalculatingPlan,
  { from, to }: { readonly from: bigint; readonly to: bigint },
  source: RowSource,
  ascending: (from: bigint, to: bigint) => AsyncIterable<RowBlock>,
): AsyncGenerator<RowBlock> {
  let end = to;
  for await (const { base, offsets, count } of source.run({ ...stored, from, to, order: 'Desc' })) {
    const begin = base + BigInt(offsets[count - 1]!);
    yield* turnedRound(ascending(begin, end), undefined);
    end = begin - 1n;
  }
}

function rowsWhere(block: RowBlock, isWanted: (row: number) => boolean): RowBlock | undefined {
  const rows = new Uint32Array(block.count);
  let count = 0;
  for (let row = 0; row < block.count; row++) if (isWanted(row)) rows[count++] = row;
  if (count === block.count) return block;
  return count === 0 ? undefined : pickRows(block, rows.subarray(0, count));
}
