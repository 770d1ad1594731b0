import { isPresent, Kind, type Presence } from '../../domain/parameter-data.ts';
import { countPresent } from '../../domain/presence.ts';
import { tagValue } from '../../domain/tags.ts';
import type { NumberColumn } from '../../expression/column.ts';
import { type Evaluator, evaluatorOf } from '../../expression/evaluate.ts';
import type { RowTag } from '../../expression/keyed-states.ts';
import type { Expression } from '../../expression/syntax.ts';
import type { ValueRoom } from '../../expression/value-room.ts';
import type { RowBlock } from '../row-block.ts';
import { pickDoubles, pickIndexes, pickPresence } from './pick-rows.ts';

/** What a column is calculated of. */
export interface Calculation {
  readonly expression: Expression;
  /** For each parameter of the expression the place of its column in a block. */
  readonly operands: readonly number[];
}

/** A calculated column, for rows of one stream that follow one another, or for any rows where each stands for itself. */
export interface ColumnEvaluator extends Pick<Evaluator, 'beginStream' | 'size' | 'save' | 'restore'> {
  /**
   * The values of some rows of a block; undefined where none has one. A row in which no operand has a value has none. The
   * arrays are the evaluator's: the next call writes over them.
   *
   * @param rows ascending; undefined: all
   * @param firstWanted time (ns): earlier rows are there for those that look back
   */
  evaluate(block: RowBlock, rows: Uint32Array | undefined, firstWanted?: bigint): CalculatedRows | undefined;
}

export interface CalculatedRows extends NumberColumn {
  /** The rows of the block that the values are of; undefined: all, in order. */
  readonly rows: Uint32Array | undefined;
}

/** @param room for what it remembers of rows before */
export function columnEvaluator({ expression, operands }: Calculation, room?: ValueRoom): ColumnEvaluator {
  const evaluator = evaluatorOf(expression, room);
  evaluator.beginStream();
  return {
    ...evaluator,
    evaluate(block, asked, firstWanted) {
      const rows = rowsWithOperand(block, operands, asked);
      if (rows === 'none') return undefined;
      const offsets = rows === undefined ? block.offsets : pickDoubles(block.offsets, rows);
      const count = rows === undefined ? block.count : rows.length;
      const column = evaluator.evaluate({
        count,
        base: block.base,
        offsets,
        firstWanted: firstWanted === undefined ? 0 : rowAt(offsets, Number(firstWanted - block.base), count),
        column: (parameter) => operandColumn(block, operands[parameter]!, rows),
        tag: (name) => tagOf(block, name, rows),
      });
      return column && { values: column.values, present: column.present, rows };
    },
  };
}

/** The first of rows, whose offsets ascend, that is not before an offset. */
export function rowAt(offsets: Float64Array, offset: number, count: number): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (offsets[middle]! < offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Those of some rows in which an operand has a value; undefined where these are all rows of the block. */
function rowsWithOperand(
  { count, columns }: RowBlock,
  operands: readonly number[],
  asked: Uint32Array | undefined,
): Uint32Array | undefined | 'none' {
  const found: Presence[] = [];
  for (const operand of operands) {
    const column = columns[operand];
    if (column !== undefined) found.push(column.present);
  }
  if (found.length === 0) return 'none';
  if (found.includes(undefined)) return asked;
  const rows = new Uint32Array(asked?.length ?? count);
  let kept = 0;
  for (let i = 0; i < rows.length; i++) {
    const row = asked === undefined ? i : asked[i]!;
    if (found.some((present) => isPresent(present, row))) rows[kept++] = row;
  }
  return kept === 0 ? 'none' : kept === count ? undefined : rows.subarray(0, kept);
}

function operandColumn(
  { columns }: RowBlock,
  place: number,
  rows: Uint32Array | undefined,
): NumberColumn | undefined {
  const column = columns[place];
  if (column === undefined || column.kind !== Kind.Numeric) return undefined;
  if (rows === undefined) return column;
  const present = pickPresence(column.present, rows);
  return present === 'none' ? undefined : { values: pickDoubles(column.values, rows), present };
}

function tagOf({ tagSets, tagIndex }: RowBlock, name: string, rows: Uint32Array | undefined): RowTag {
  const index = tagIndex === undefined || rows === undefined ? tagIndex : pickIndexes(tagIndex, rows);
  return { texts: textsOf(tagSets, name), index };
}

/** Parts of one block, and many blocks, share their dictionary. */
let last:
  | { readonly tagSets: RowBlock['tagSets']; readonly name: string; readonly texts: RowTag['texts'] }
  | undefined;

function textsOf(tagSets: RowBlock['tagSets'], name: string): RowTag['texts'] {
  if (last?.tagSets !== tagSets || last.name !== name)
    last = { tagSets, name, texts: tagSets.map((set) => tagValue(set, name)) };
  return last.texts;
}

/** Values for all rows of a block, put together of those of some of them. */
export interface ColumnBuilder {
  /** Each row once. */
  add(found: CalculatedRows): void;
  /** Undefined where no row has a value. */
  finish(): NumberColumn | undefined;
}

/** Builds a column in the memory of the evaluator where that gives all rows. */
export function columnOfEvaluator(count: number): ColumnBuilder {
  let lent: NumberColumn | undefined;
  let whole: ColumnBuilder | undefined;
  return {
    add(found) {
      if (found.rows === undefined)
        lent = { values: found.values.subarray(0, count), present: found.present };
      else {
        whole ??= wholeColumn(count);
        whole.add(found);
      }
    },
    finish: () => lent ?? whole?.finish(),
  };
}

export function wholeColumn(count: number): ColumnBuilder {
  const values = new Float64Array(count);
  const present = new Uint8Array((count + 7) >> 3);
  let found = 0;
  return {
    add({ values: given, present: has, rows }: CalculatedRows): void {
      if (rows === undefined) {
        values.set(given.subarray(0, count));
        if (has !== undefined) present.set(has.subarray(0, present.length));
        found = countPresent(has, count);
        return;
      }
      const { length } = rows;
      for (let i = 0; i < length; i++) {
        if (!isPresent(has, i)) continue;
        const row = rows[i]!;
        values[row] = given[i]!;
        present[row >> 3]! |= 1 << (row & 7);
        found++;
      }
    },
    finish() {
      if (found === 0) return undefined;
      return { values, present: found === count ? undefined : present };
    },
  };
}
