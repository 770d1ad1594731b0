import type { ParameterKey } from '../../domain/parameter-data.ts';
import type { Aggregator } from '../../query/aggregator.ts';
import type { Calculated } from '../../query/calculated.ts';
import type { ColumnValues, DecodedRows } from '../../query/rows-to-aggregate.ts';
import type { StoredColumn, StoredRows } from '../../query/stored-rows.ts';
import type { RowBlock } from '../row-block.ts';
import { type CalculatedRows, columnEvaluator, wholeColumn } from './column-evaluator.ts';
import { withColumns } from './with-columns.ts';

/** What is read, and what is calculated from it. */
export interface Calculating {
  readonly parameters: readonly ParameterKey[];
  readonly calculated: Calculated;
}

/**
 * Calculates columns of rows as they are stored, and adds them to an aggregator whose plan has the columns of
 * `calculatedKeys`. Each row stands for itself: blocks may come in any order.
 */
export function calculatingAggregator(
  { parameters, calculated }: Calculating,
  aggregator: Aggregator,
): Aggregator {
  const { requested, columns } = calculated;
  const evaluators = columns.map((column) => columnEvaluator(column));
  const operands = [...new Set(columns.flatMap((column) => column.operands))];
  const copies = new Map<number, Float64Array>();

  function evaluate(block: RowBlock): (CalculatedRows | undefined)[] {
    return evaluators.map((evaluator) => evaluator.evaluate(block, undefined));
  }

  /** Adds rows that may be without a value of what is asked for. */
  function addBlock(block: RowBlock, isWanted?: (row: number) => boolean): void {
    const found = evaluate(block).map((one) => inWholeBlock(block.count, one));
    const made = withColumns(block, calculated, found, isWanted);
    if (made !== undefined) aggregator.add(made);
  }

  function named(values: ColumnValues | undefined, place: number): RowBlock['columns'][number] {
    return values && ({ ...parameters[place]!, ...values } as RowBlock['columns'][number]);
  }

  /** The operands, in memory that the next column does not use again. */
  function operandsOf(rows: StoredRows): RowBlock['columns'] {
    const found: RowBlock['columns'][number][] = parameters.map(() => undefined);
    for (const place of operands) {
      const values = rows.columns[place]?.decode();
      if (values === undefined || 'ends' in values) continue;
      let copy = copies.get(place);
      if (copy === undefined || copy.length < rows.count) {
        copy = new Float64Array(rows.count);
        copies.set(place, copy);
      }
      copy.set(values.values.subarray(0, rows.count));
      found[place] = named({ values: copy, present: values.present }, place);
    }
    return found;
  }

  return {
    ...aggregator,
    openStream: (stream) => aggregator.openStream(stream),
    add: (rows: DecodedRows) => addBlock({ ...unplaced, ...rows, columns: rows.columns.map(named) }),
    addStored(rows) {
      const block = { ...unplaced, count: rows.count, base: rows.base, columns: operandsOf(rows) };
      const found = evaluate(block);
      const asked = rows.columns.slice(0, requested);
      // Otherwise rows may be without a value.
      const isWhole =
        asked.some((column) => column?.isDense) ||
        found.some((one) => one !== undefined && one.rows === undefined && one.present === undefined);
      if (isWhole) {
        aggregator.addStored({
          ...rows,
          columns: [...asked, ...found.map((one) => stored(rows.count, one))],
        });
        return;
      }
      const offsets = rows.offsets();
      const { tagSets, tagIndex } = rows.tags();
      const isWanted = (row: number): boolean => {
        const offset = offsets[row]!;
        if (offset < rows.from || offset > rows.to) return false;
        return !rows.hidden.some(({ first, last }) => offset >= first && offset <= last);
      };
      const columns = block.columns.map((column, place) =>
        column === undefined && place < requested ? named(ownValues(rows, place), place) : column,
      );
      addBlock({ ...block, offsets, tagSets, tagIndex, columns }, isWanted);
    },
    totalsNeeded: () => undefined,
  };
}

const unplaced = {
  offsets: new Float64Array(0),
  streamIndex: undefined,
  streams: [],
  tagSets: [],
  tagIndex: undefined,
} as const;

/** A column that is no operand, in memory of its own. */
function ownValues({ columns, count }: StoredRows, place: number): ColumnValues | undefined {
  const values = columns[place]?.decode();
  if (values === undefined || 'ends' in values) return values;
  return { values: values.values.slice(0, count), present: values.present };
}

function inWholeBlock(count: number, found: CalculatedRows | undefined) {
  if (found === undefined) return undefined;
  const column = wholeColumn(count);
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
