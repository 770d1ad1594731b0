import type { ParameterKey } from '../../domain/parameter-data.ts';
import type { ResultBlock } from '../../domain/result.ts';
import type { StreamKey } from '../../domain/stream.ts';
import type { Aggregator } from '../../query/aggregator.ts';
import {
  type Calculated,
  expressionsOf,
  type PlacedExpression,
  runsAlongRows,
} from '../../query/plan/calculated.ts';
import type { DecodedRows } from '../../query/runs/rows-to-aggregate.ts';
import type { PartialAggregate } from '../../query/states/partial-aggregate.ts';
import type { StoredColumn, StoredRows } from '../../query/states/stored-rows.ts';
import type { TotalRows } from '../../query/states/total-rows.ts';
import type { Pace } from '../../turns/pace.ts';
import type { RowBlock } from '../row-block.ts';
import { sliceBlock } from '../slice-block.ts';
import { type CalculatedRows, type ColumnEvaluator, columnOfEvaluator, rowAt } from './column-evaluator.ts';
import { expressionOfTopic } from './column-of-topic.ts';
import type { EvaluatorPool } from './evaluator-pool.ts';
import { haveSamePresence, hiddenGaps } from './hidden-gaps.ts';
import { OperandColumns } from './operand-columns.ts';
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
export class CalculatingAggregator implements Aggregator {
  /** Takes the rows with what is calculated of them. */
  readonly #aggregator;
  readonly #calculated;
  readonly #lent;
  /** Columns of stored rows; those of the plan that somebody asked for come first. */
  readonly #columns;
  /** Those that are asked for and only calculated columns are added with. */
  readonly #noColumns: readonly undefined[];
  /** Whether an expression looks along rows. */
  readonly #alongRows: boolean;
  readonly #needsTags: boolean;
  readonly #placedOf: (topic: string) => readonly PlacedExpression[];
  /** One for each calculated column, for the stream that is open. */
  #evaluators: readonly ColumnEvaluator[] = [];

  constructor({ parameters, calculated }: Calculating, aggregator: Aggregator, lent: EvaluatorPool) {
    const expressions = calculated.columns.flatMap(expressionsOf);
    const operands = [...new Set(expressions.flatMap((one) => one.operands))];
    this.#aggregator = aggregator;
    this.#calculated = calculated;
    this.#lent = lent;
    this.#columns = new OperandColumns(parameters, operands);
    this.#noColumns = parameters.slice(0, calculated.requested).map(() => undefined);
    this.#alongRows = runsAlongRows({ parameters, calculated });
    this.#needsTags = expressions.some(({ expression }) => expression.tags.length > 0);
    this.#placedOf = placedExpressions(calculated);
  }

  openStream(stream: StreamKey): void {
    if (this.#alongRows) this.#lent.room.clear();
    this.#evaluators = this.#placedOf(stream.topic).map(this.#lent.of);
    this.#aggregator.openStream(stream);
  }

  add(rows: DecodedRows): void {
    const columns = rows.columns.map((values, place) => this.#columns.named(values, place));
    this.#addBlock({ ...unplaced, ...rows, columns });
  }

  addStored(all: StoredRows): void {
    const isCut = all.hidden.length > 0 || all.first < all.from || all.last > all.to;
    const slice = this.#alongRows && isCut ? wantedSlice(all) : undefined;
    if (this.#alongRows && isCut && slice === undefined) {
      this.#addWanted(all);
      return;
    }
    const rows = slice ?? all;
    const block = {
      ...unplaced,
      ...(this.#needsTags ? rows.tags() : {}),
      count: rows.count,
      base: rows.base,
      offsets: this.#alongRows ? rows.offsets() : unplaced.offsets,
      columns: this.#columns.operands(rows),
    };
    const found = this.#evaluate(block);
    const asked = rows.columns.slice(0, this.#calculated.requested);
    // Otherwise rows may be without a value.
    const isWhole =
      asked.some((column) => column?.isDense) ||
      found.some((one) => one !== undefined && one.rows === undefined && one.present === undefined);
    if (isWhole) {
      this.#aggregator.addStored(rows, [...asked, ...found.map((one) => stored(rows.count, one))]);
      return;
    }
    if (this.#addAround(rows, found)) return;
    const offsets = rows.offsets();
    const columns = asked.map((_, place) => block.columns[place] ?? this.#columns.copied(rows, place));
    const isWanted = isCut && slice === undefined ? wantedOf(rows, offsets) : undefined;
    this.#addCalculated({ ...block, ...rows.tags(), offsets, columns }, found, isWanted);
  }

  /** Undefined: what is calculated is not known from totals. */
  totalsNeeded(): undefined {
    return undefined;
  }

  get tagsMatter(): boolean {
    return this.#aggregator.tagsMatter;
  }

  bucketEnd(base: bigint, offset: number): number {
    return this.#aggregator.bucketEnd(base, offset);
  }

  addTotals(rows: TotalRows): void {
    this.#aggregator.addTotals(rows);
  }

  give(): PartialAggregate {
    return this.#aggregator.give();
  }

  join(given: PartialAggregate, pace: Pace): Promise<void> {
    return this.#aggregator.join(given, pace);
  }

  finish(pace: Pace): AsyncGenerator<ResultBlock> {
    return this.#aggregator.finish(pace);
  }

  #evaluate(block: RowBlock): (CalculatedRows | undefined)[] {
    const { sumsFrom } = this.#calculated;
    return this.#evaluators.map((evaluator) => evaluator.evaluate(block, undefined, sumsFrom));
  }

  /** Adds rows that may be without a value of what is asked for. */
  #addBlock(block: RowBlock): void {
    this.#addCalculated(block, this.#evaluate(block));
  }

  /** Adds the rows of a block that have a value, with what was calculated of them. */
  #addCalculated(
    block: RowBlock,
    found: readonly (CalculatedRows | undefined)[],
    isWanted?: (row: number) => boolean,
  ): void {
    const columns = found.map((one) => inWholeBlock(block.count, one));
    const made = withColumns(block, this.#calculated, columns, isWanted);
    if (made !== undefined) this.#aggregator.add(made);
  }

  /** Adds those of the rows that are wanted: what looks along rows must not see the others. */
  #addWanted(rows: StoredRows): void {
    const offsets = rows.offsets();
    const operands = this.#columns.operands(rows);
    const columns = operands.map((column, place) => column ?? this.#columns.copied(rows, place));
    const block = { ...unplaced, ...rows.tags(), count: rows.count, base: rows.base, offsets, columns };
    const [first, end] = [rowAt(offsets, rows.from, rows.count), rowAt(offsets, rows.to + 1, rows.count)];
    if (first >= end) return;
    if (rows.hidden.length === 0) {
      this.#addBlock(sliceBlock(block, first, end));
      return;
    }
    const isWanted = wantedOf(rows, offsets);
    const wanted = Uint32Array.from({ length: end - first }, (_, i) => first + i).filter(isWanted);
    if (wanted.length > 0) this.#addBlock(pickRows(block, wanted));
  }

  /**
   * Adds rows where those without a value are few, often the first of a stream: as rows that are left out. False where
   * that is not to be had.
   */
  #addAround(rows: StoredRows, found: readonly (CalculatedRows | undefined)[]): boolean {
    const { requested } = this.#calculated;
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
    this.#aggregator.addStored({ ...rows, hidden }, [...this.#noColumns, ...columns]);
    return true;
  }
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

function inWholeBlock(count: number, found: CalculatedRows | undefined) {
  if (found === undefined) return undefined;
  const column = columnOfEvaluator(count);
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
