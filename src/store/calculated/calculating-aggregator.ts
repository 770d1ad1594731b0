import type { ParameterKey } from '../../domain/parameter-data.ts';
import type { Aggregator } from '../../query/aggregator.ts';
import {
  type Calculated,
  expressionsOf,
  type PlacedExpression,
  runsAlongRows,
} from '../../query/calculated.ts';
import type { ColumnValues, DecodedRows } from '../../query/rows-to-aggregate.ts';
import type { StoredColumn, StoredRows } from '../../query/stored-rows.ts';
import type { RowBlock } from '../row-block.ts';
import { sliceBlock } from '../slice-block.ts';
import { type CalculatedRows, type ColumnEvaluator, lentColumn, rowAt } from './column-evaluator.ts';
import { expressionOfTopic } from './column-of-topic.ts';
import { haveSamePresence, hiddenGaps } from './hidden-gaps.ts';
import type { LentEvaluators } from './lent-evaluators.ts';
import { pickRows } from './pick-rows.ts';
import { wantedSlice } from './wanted-slice.ts';
import { withColumns } from './with-columns.ts';

/** What is read, and what is calculated from it. */
export interface Calculating {
  readonly parameters: readonly ParameterKey[];
  readonly calculated: Calculated;
}

/**
 * Calculates columns of rows as they are stored, and adds them to an aggregator whose plan has the columns of
 * `calculatedKeys`. Where each row stands for itself blocks of a stream may come in any order. Where something looks along
 * rows, those that have the operands of one expression come in order of time. What looks back may be shown rows before
 * them by `lent` once their stream is open.
 */
export function calculatingAggregator(
  { parameters, calculated }: Calculating,
  aggregator: Aggregator,
  lent: LentEvaluators,
): Aggregator {
  const { requested, columns } = calculated;
  const alongRows = runsAlongRows({ parameters, calculated });
  const expressions = columns.flatMap(expressionsOf);
  const operands = [...new Set(expressions.flatMap((one) => one.operands))];
  const needsTags = expressions.some(({ expression }) => expression.tags.length > 0);
  const noColumns = parameters.slice(0, requested).map(() => undefined);
  const placedOf = placedExpressions(calculated);
  let evaluators: readonly ColumnEvaluator[] = [];
  const memory = new Map<number, Float64Array>();

  function evaluate(block: RowBlock): (CalculatedRows | undefined)[] {
    return evaluators.map((evaluator) => evaluator.evaluate(block, undefined));
  }

  /** Adds rows that may be without a value of what is asked for. */
  function addBlock(block: RowBlock): void {
    const found = evaluate(block).map((one) => inWholeBlock(block.count, one));
    const made = withColumns(block, calculated, found);
    if (made !== undefined) aggregator.add(made);
  }

  function named(values: ColumnValues | undefined, place: number): RowBlock['columns'][number] {
    if (values === undefined) return undefined;
    const { kind, name } = parameters[place]!;
    return (
      'ends' in values
        ? { kind, name, ...values }
        : { kind, name, values: values.values, present: values.present }
    ) as RowBlock['columns'][number];
  }

  /** The operands, in memory that the next column does not use again. */
  function operandsOf(rows: StoredRows): RowBlock['columns'] {
    const found: RowBlock['columns'][number][] = parameters.map(() => undefined);
    for (const place of operands) {
      const column = rows.columns[place];
      if (column?.isNumeric !== true) continue;
      let own = memory.get(place);
      if (own === undefined || own.length < rows.count) {
        own = new Float64Array(rows.count);
        memory.set(place, own);
      }
      found[place] = named(column.decode(own), place);
    }
    return found;
  }

  /** Those of the rows that are wanted: what looks along rows must not see the others. */
  function addWanted(rows: StoredRows): void {
    const offsets = rows.offsets();
    const columns = operandsOf(rows).map((column, place) => column ?? named(ownValues(rows, place), place));
    const block = { ...unplaced, ...rows.tags(), count: rows.count, base: rows.base, offsets, columns };
    const [first, end] = [rowAt(offsets, rows.from, rows.count), rowAt(offsets, rows.to + 1, rows.count)];
    if (first >= end) return;
    if (rows.hidden.length === 0) {
      addBlock(sliceBlock(block, first, end));
      return;
    }
    const isWanted = wantedOf(rows, offsets);
    const wanted = Uint32Array.from({ length: end - first }, (_, i) => first + i).filter(isWanted);
    if (wanted.length > 0) addBlock(pickRows(block, wanted));
  }

  /**
   * Adds rows where those without a value are few, often the first of a stream: as rows that are left out. False where
   * that is not to be had.
   */
  function addAround(rows: StoredRows, found: readonly (CalculatedRows | undefined)[]): boolean {
    if (rows.hidden.length > 0 || rows.columns.slice(0, requested).some((column) => column !== undefined))
      return false;
    const there = found.filter((one) => one !== undefined);
    const presences = there.map(({ present }) => present).filter((present) => present !== undefined);
    if (there.length === 0 || there.some((one) => one.rows !== undefined)) return false;
    const hidden = hiddenGaps(presences, rows.offsets(), rows.count);
    if (hidden === undefined) return false;
    const isDense = haveSamePresence(presences, rows.count);
    const columns = found.map((one) =>
      stored(rows.count, one && { ...one, ...(isDense && { present: undefined }) }),
    );
    aggregator.addStored({ ...rows, hidden }, [...noColumns, ...columns]);
    return true;
  }

  return {
    ...aggregator,
    openStream(stream) {
      if (alongRows) lent.room.clear();
      evaluators = placedOf(stream.topic).map(lent.of);
      aggregator.openStream(stream);
    },
    add: (rows: DecodedRows) => addBlock({ ...unplaced, ...rows, columns: rows.columns.map(named) }),
    addStored(all) {
      const isCut = all.hidden.length > 0 || all.first < all.from || all.last > all.to;
      const slice = alongRows && isCut ? wantedSlice(all) : undefined;
      if (alongRows && isCut && slice === undefined) {
        addWanted(all);
        return;
      }
      const rows = slice ?? all;
      const block = {
        ...unplaced,
        ...(needsTags ? rows.tags() : {}),
        count: rows.count,
        base: rows.base,
        offsets: alongRows ? rows.offsets() : unplaced.offsets,
        columns: operandsOf(rows),
      };
      const found = evaluate(block);
      const asked = rows.columns.slice(0, requested);
      // Otherwise rows may be without a value.
      const isWhole =
        asked.some((column) => column?.isDense) ||
        found.some((one) => one !== undefined && one.rows === undefined && one.present === undefined);
      if (isWhole) {
        aggregator.addStored(rows, [...asked, ...found.map((one) => stored(rows.count, one))]);
        return;
      }
      if (addAround(rows, found)) return;
      const offsets = rows.offsets();
      const columns = asked.map((_, place) => block.columns[place] ?? named(ownValues(rows, place), place));
      const whole = { ...block, ...rows.tags(), offsets, columns };
      const calculatedColumns = found.map((one) => inWholeBlock(rows.count, one));
      const isWanted = isCut && slice === undefined ? wantedOf(rows, offsets) : undefined;
      const made = withColumns(whole, calculated, calculatedColumns, isWanted);
      if (made !== undefined) aggregator.add(made);
    },
    totalsNeeded: () => undefined,
  };
}

/** The expressions of all columns for the streams of a topic. */
function placedExpressions({ columns }: Calculated): (topic: string) => readonly PlacedExpression[] {
  const known = new Map<string, readonly PlacedExpression[]>();
  return (topic) => {
    let placed = known.get(topic);
    if (placed === undefined) {
      placed = columns.map((column) => expressionOfTopic(column, topic));
      known.set(topic, placed);
    }
    return placed;
  };
}

const unplaced = {
  offsets: new Float64Array(0),
  streamIndex: undefined,
  streams: [],
  tagSets: [],
  tagIndex: undefined,
} as const;

function wantedOf({ from, to, hidden }: StoredRows, offsets: Float64Array): (row: number) => boolean {
  return (row) => {
    const offset = offsets[row]!;
    if (offset < from || offset > to) return false;
    return !hidden.some(({ first, last }) => offset >= first && offset <= last);
  };
}

/** A column that is no operand, in memory of its own. */
function ownValues({ columns, count }: StoredRows, place: number): ColumnValues | undefined {
  const values = columns[place]?.decode();
  if (values === undefined || 'ends' in values) return values;
  return { values: values.values.slice(0, count), present: values.present };
}

function inWholeBlock(count: number, found: CalculatedRows | undefined) {
  if (found === undefined) return undefined;
  const column = lentColumn(count);
  column.add(found);
  return column.finish();
}

/** Calculated values as a column of stored rows: all of them are known, and nothing is known without them. */
function stored(count: number, found: CalculatedRows | undefined): StoredColumn | undefined {
  const column = found?.rows === undefined ? found : inWholeBlock(count, found);
  if (column === undefined) return undefined;
  const { values, present } = column;
  return {
    isDense: present === undefined,
    isNumeric: true,
    decode: () => ({ values, present }),
    statistics: () => undefined,
    sumRuns: () => false,
    decodeFrames: () => ({ values, present: undefined }),
  };
}
