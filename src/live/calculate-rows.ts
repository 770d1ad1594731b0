import { isPresent, Kind, type NumericColumn, type Presence, type Rows } from '../domain/parameter-data.ts';
import { tagValue } from '../domain/tags.ts';
import type { NumberColumn } from '../expression/column.ts';
import type { Evaluator } from '../expression/evaluate.ts';
import type { Expression } from '../expression/syntax.ts';
import type { Steps } from '../turns/steps.ts';

/** The rows that are evaluated in one step: an evaluator keeps memory for as many. */
export const rowsOfStep = 256;

/**
 * A calculated column of rows of one stream; undefined where no row has a value. A row in which no operand has a value has none,
 * nor has one in which the name itself was written: that wins. Stops after each fraction of a millisecond.
 *
 * @param order the rows that are evaluated, one after another; all of them, as they stand, without it
 */
export function* calculatedColumn(
  rows: Rows,
  name: string,
  { parameters }: Expression,
  evaluator: Evaluator,
  order?: Uint32Array,
): Steps<NumericColumn | undefined> {
  const operands = parameters.map((parameter) => numbersOf(rows, parameter));
  if (operands.every((operand) => operand === undefined)) return undefined;
  const written = numbersOf(rows, name);
  if (written !== undefined && written.present === undefined) return undefined;
  const { base, count } = rows;
  const values = new Float64Array(count);
  const present = new Uint8Array((count + 7) >> 3);
  const length = order?.length ?? count;
  let found = 0;
  for (let begin = 0; begin < length; begin += rowsOfStep) {
    const end = Math.min(length, begin + rowsOfStep);
    const places =
      order?.subarray(begin, end) ?? Uint32Array.from({ length: end - begin }, (_, i) => begin + i);
    const picked = operands.map((operand) => operand && pick(operand, places));
    const column = evaluator.evaluate({
      count: places.length,
      base,
      offsets: Float64Array.from(places, (row) => rows.offsets[row]!),
      firstWanted: 0,
      column: (parameter) => picked[parameter],
      tag: (tag) => ({
        texts: rows.tagSets.map((set) => tagValue(set, tag)),
        index: Uint32Array.from(places, (row) => rows.tagIndex?.[row] ?? 0),
      }),
    });
    for (let i = 0; column !== undefined && i < places.length; i++) {
      const row = places[i]!;
      if (!isPresent(column.present, i)) continue;
      if (!picked.some((operand) => operand !== undefined && isPresent(operand.present, i))) continue;
      if (written !== undefined && isPresent(written.present, row)) continue;
      values[row] = column.values[i]!;
      present[row >> 3]! |= 1 << (row & 7);
      found++;
    }
    yield;
  }
  if (found === 0) return undefined;
  return { kind: Kind.Numeric, name, values, present: found === count ? undefined : present };
}

function numbersOf({ columns }: Rows, name: string): NumberColumn | undefined {
  const column = columns.find((one) => one.kind === Kind.Numeric && one.name === name);
  return column?.kind === Kind.Numeric ? column : undefined;
}

function pick({ values, present }: NumberColumn, rows: Uint32Array): NumberColumn {
  const bits: Presence = present && new Uint8Array((rows.length + 7) >> 3);
  for (let i = 0; bits !== undefined && i < rows.length; i++)
    if (isPresent(present, rows[i]!)) bits[i >> 3]! |= 1 << (i & 7);
  return { values: Float64Array.from(rows, (row) => values[row]!), present: bits };
}
