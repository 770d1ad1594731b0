import { isPresent } from '../domain/parameter-data.ts';
import type { NumberColumn } from '../expression/column.ts';
import type { OperandRows } from './operand-rows.ts';
import { slice } from './row-steps.ts';

/** Puts rows of a stream that come in blocks together, so that those of one time are given together. */
export interface WholeTimes {
  /** Takes the next rows, and gives those that are known to be whole. */
  next(rows: OperandRows): OperandRows[];
  /** What is left at the end. */
  end(): OperandRows[];
}

export function wholeTimes(): WholeTimes {
  /** Of the last time so far. */
  let held: OperandRows | undefined;
  return {
    next(rows) {
      if (rows.count === 0) return [];
      const isSame = held !== undefined && timeOf(held, 0) === timeOf(rows, 0);
      const joined = isSame ? join(held!, rows) : rows;
      const before = isSame || held === undefined ? [] : [held];
      let cut = joined.count - 1;
      while (cut > 0 && joined.offsets[cut - 1] === joined.offsets[joined.count - 1]) cut--;
      // Copied: it must not hold the block.
      held = join(slice(joined, cut, joined.count), undefined);
      return cut === 0 ? before : [...before, slice(joined, 0, cut)];
    },
    end() {
      const last = held;
      held = undefined;
      return last === undefined ? [] : [last];
    },
  };
}

function timeOf({ base, offsets }: OperandRows, row: number): bigint {
  return base + BigInt(offsets[row]!);
}

/** In arrays of their own. Rows of one time, and those that follow, of which the first have that time too. */
function join(first: OperandRows, second: OperandRows | undefined): OperandRows {
  const count = first.count + (second?.count ?? 0);
  const offsets = new Float64Array(count);
  const { base, offsets: following } = second ?? first;
  offsets.fill(following[0]!, 0, first.count);
  if (second !== undefined) offsets.set(following.subarray(0, second.count), first.count);
  const columns = new Map<string, NumberColumn>();
  for (const name of new Set([...first.columns.keys(), ...(second?.columns.keys() ?? [])])) {
    const values = new Float64Array(count);
    const present = new Uint8Array((count + 7) >> 3);
    copy(first, name, 0, values, present);
    if (second !== undefined) copy(second, name, first.count, values, present);
    columns.set(name, { values, present });
  }
  return { count, base, offsets, columns };
}

function copy(
  { count, columns }: OperandRows,
  name: string,
  to: number,
  values: Float64Array,
  has: Uint8Array,
): void {
  const column = columns.get(name);
  if (column === undefined) return;
  for (let row = 0; row < count; row++) {
    if (!isPresent(column.present, row)) continue;
    values[to + row] = column.values[row]!;
    has[(to + row) >> 3]! |= 1 << ((to + row) & 7);
  }
}
