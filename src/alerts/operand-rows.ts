import { isPresent, Kind, type NumericColumn, type Rows } from '../domain/parameter-data.ts';
import { spanLimit } from '../domain/timestamp.ts';
import type { NumberColumn } from '../expression/column.ts';

/** What a write says of some numeric parameters of a stream: rows of distinct (time, tag set), in order of time. */
export interface OperandRows {
  readonly count: number;
  /** Nanoseconds; row i is at `base + offsets[i]`. */
  readonly base: bigint;
  /** Ascending; rows of one time, of several tag sets, stand together. */
  readonly offsets: Float64Array;
  /** By the name of the parameter; those that are not written are left out. */
  readonly columns: ReadonlyMap<string, NumberColumn>;
}

type Steps<Result> = Generator<void, Result, void>;

/** Rows of a step. */
const stepRows = 16_384;

/**
 * The rows of a write in which one of the names stands. Operands meet in rows of equal time and tag set, of equal ones the
 * later wins, as in the store. Mostly the rows are in order and are given as they came; then the arrays are the
 * writer's. Rows that are more than 2^53 ns apart come one after the other.
 */
export function* operandRows(
  written: readonly Rows[],
  names: ReadonlySet<string>,
): Steps<readonly OperandRows[]> {
  const pieces: Piece[] = [];
  for (const rows of written) {
    const columns = rows.columns.filter(isOperand(names));
    if (rows.count > 0 && columns.length > 0) pieces.push({ rows, columns });
  }
  const [only] = pieces;
  // Most writes have one piece, in order.
  if (pieces.length === 1 && (yield* isAscending(only!.rows))) return [asItIs(only!)];
  const all: OperandRows[] = [];
  for (const together of overlapping(pieces)) {
    const [one] = together;
    if (together.length === 1 && (yield* isAscending(one!.rows))) all.push(asItIs(one!));
    else all.push(yield* merged(together));
  }
  return all;
}

interface Piece {
  readonly rows: Rows;
  readonly columns: readonly NumericColumn[];
}

function isOperand(names: ReadonlySet<string>) {
  return (column: Rows['columns'][number]): column is NumericColumn =>
    column.kind === Kind.Numeric && names.has(column.name);
}

/** Pieces in groups of those that a span of 2^53 ns may hold together, in order of time; mostly one group. */
function overlapping(pieces: readonly Piece[]): Piece[][] {
  if (pieces.length === 1) return [[pieces[0]!]];
  const groups: { readonly base: bigint; readonly pieces: [Piece, number][] }[] = [];
  const ordered = pieces.map((piece, at): [Piece, number] => [piece, at]);
  ordered.sort(([a], [b]) => (a.rows.base < b.rows.base ? -1 : a.rows.base > b.rows.base ? 1 : 0));
  for (const entry of ordered) {
    const last = groups.at(-1);
    const { base } = entry[0].rows;
    const fits = last !== undefined && Number(base - last.base) + lastOffset(entry[0].rows) < spanLimit;
    if (fits) last.pieces.push(entry);
    else groups.push({ base, pieces: [entry] });
  }
  return groups.map(({ pieces: found }) => found.sort(([, a], [, b]) => a - b).map(([piece]) => piece));
}

function lastOffset({ offsets, count }: Rows): number {
  let last = 0;
  for (let row = 0; row < count; row++) if (offsets[row]! > last) last = offsets[row]!;
  return last;
}

function* isAscending({ offsets, count }: Rows): Steps<boolean> {
  for (let from = 1; from < count; from += 4 * stepRows) {
    if (from > 1) yield;
    if (!ascends(offsets, from, Math.min(from + 4 * stepRows, count))) return false;
  }
  return true;
}

function ascends(offsets: Float64Array, from: number, to: number): boolean {
  let last = offsets[from - 1]!;
  for (let row = from; row < to; row++) {
    const offset = offsets[row]!;
    if (offset <= last) return false;
    last = offset;
  }
  return true;
}

function asItIs({ rows: { count, base, offsets }, columns }: Piece): OperandRows {
  const named = columns.map(({ name, values, present }) => [name, { values, present }] as const);
  return { count, base, offsets, columns: new Map(named) };
}

/** Sorts rows by time and joins those of one identity. */
function* merged(pieces: readonly Piece[]): Steps<OperandRows> {
  const base = pieces.reduce(
    (first, { rows }) => (rows.base < first ? rows.base : first),
    pieces[0]!.rows.base,
  );
  const total = pieces.reduce((sum, { rows }) => sum + rows.count, 0);
  const times = new Float64Array(total);
  const sources = new Uint32Array(total);
  let at = 0;
  for (const [source, { rows }] of pieces.entries()) {
    const shift = Number(rows.base - base);
    for (let row = 0; row < rows.count; row++, at++) {
      times[at] = rows.offsets[row]! + shift;
      sources[at] = source;
    }
    yield;
  }
  const order = yield* sortedOrder(times);
  const starts = startsOf(pieces);
  const names = [...new Set(pieces.flatMap(({ columns }) => columns.map(({ name }) => name)))];
  const values = names.map(() => new Float64Array(total));
  const present = names.map(() => new Uint8Array((total + 7) >> 3));
  const place = new Map(names.map((name, i) => [name, i]));
  const offsets = new Float64Array(total);
  let count = 0;
  for (let i = 0; i < total; ) {
    const time = times[order[i]!]!;
    let end = i + 1;
    while (end < total && times[order[end]!] === time) end++;
    // Of one time: the row of each tag set.
    const rowsOfTags = end - i > 1 ? new Map<string, number>() : undefined;
    for (; i < end; i++) {
      const entry = order[i]!;
      const { rows, columns } = pieces[sources[entry]!]!;
      const row = entry - starts[sources[entry]!]!;
      let target = count;
      if (rowsOfTags !== undefined) {
        const { key } = rows.tagSets[rows.tagIndex?.[row] ?? 0]!;
        target = rowsOfTags.get(key) ?? count;
        rowsOfTags.set(key, target);
      }
      if (target === count) offsets[count++] = time;
      for (const column of columns) {
        if (!isPresent(column.present, row)) continue;
        const to = place.get(column.name)!;
        values[to]![target] = column.values[row]!;
        present[to]![target >> 3]! |= 1 << (target & 7);
      }
      if (i % stepRows === stepRows - 1) yield;
    }
  }
  const joined = names.map((name, i) => [name, { values: values[i]!, present: present[i]! }] as const);
  return { count, base, offsets, columns: new Map(joined) };
}

function startsOf(pieces: readonly Piece[]): number[] {
  let start = 0;
  return pieces.map(({ rows }) => {
    const own = start;
    start += rows.count;
    return own;
  });
}

/** The places of values in ascending order; equal ones stay in theirs. */
function* sortedOrder(values: Float64Array): Steps<Uint32Array> {
  const { length } = values;
  let order = new Uint32Array(length);
  for (let i = 0; i < length; i++) order[i] = i;
  let next = new Uint32Array(length);
  let moved = 0;
  for (let width = 1; width < length; width *= 2) {
    for (let from = 0; from < length; from += 2 * width) {
      const middle = Math.min(from + width, length);
      const to = Math.min(from + 2 * width, length);
      let left = from;
      let right = middle;
      for (let i = from; i < to; i++) {
        const takesLeft = left < middle && (right >= to || values[order[left]!]! <= values[order[right]!]!);
        next[i] = takesLeft ? order[left++]! : order[right++]!;
        if (++moved % (4 * stepRows) === 0) yield;
      }
    }
    [order, next] = [next, order];
  }
  return order;
}
