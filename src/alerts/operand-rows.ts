import { entryOf } from '../domain/entry-of.ts';
import { isPresent, Kind, type NumericColumn, type Rows } from '../domain/parameter-data.ts';
import { spanLimit } from '../domain/timestamp.ts';
import type { NumberColumn } from '../expression/column.ts';
import type { Steps } from '../turns/steps.ts';

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

/** Rows of a step. */
const stepRows = 16_384;

/**
 * The rows of a write in which one of the names stands. Operands meet in rows of equal time and tag set, of equal ones the
 * later wins, as in the store. Mostly the rows are in order and are given as they came; then the arrays are the
 * writer's. Where all are more than 2^53 ns apart they are given in spans of time, one after the other.
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
  for (const { pieces: together, first, last } of overlapping(pieces)) {
    const [one] = together;
    if (together.length === 1 && (yield* isAscending(one!.rows))) all.push(asItIs(one!));
    else if (Number(last - first) < spanLimit) all.push(yield* merged(together, first));
    else
      for (const [cell, some] of byCell(together)) {
        const found = yield* merged(some, cell << cellBits, cellWidth);
        if (found.count > 0) all.push(found);
      }
  }
  return all;
}

/** The binary logarithm of a span (ns): rows that are far apart are merged span by span. */
const cellBits = 52n;
const cellWidth = 2 ** 52;

interface Piece {
  readonly rows: Rows;
  readonly columns: readonly NumericColumn[];
}

function isOperand(names: ReadonlySet<string>) {
  return (column: Rows['columns'][number]): column is NumericColumn =>
    column.kind === Kind.Numeric && names.has(column.name);
}

/** Pieces that reach into the same time, with the first and the last time of them (ns). */
interface Overlap {
  readonly pieces: readonly Piece[];
  readonly first: bigint;
  readonly last: bigint;
}

/** Groups pieces that overlap, in order of time; in each group the pieces as they came. */
function overlapping(pieces: readonly Piece[]): Overlap[] {
  const found: { readonly first: bigint; last: bigint; readonly entries: [Piece, number][] }[] = [];
  const ordered = pieces.map((piece, at): [Piece, number] => [piece, at]);
  ordered.sort(([a], [b]) => (a.rows.base < b.rows.base ? -1 : a.rows.base > b.rows.base ? 1 : 0));
  for (const entry of ordered) {
    const { rows } = entry[0];
    const last = rows.base + BigInt(lastOffset(rows));
    const before = found.at(-1);
    if (before === undefined || rows.base > before.last)
      found.push({ first: rows.base, last, entries: [entry] });
    else {
      before.entries.push(entry);
      if (last > before.last) before.last = last;
    }
  }
  return found.map(({ first, last, entries }) => {
    const inOrder = entries.sort(([, a], [, b]) => a - b).map(([piece]) => piece);
    return { pieces: inOrder, first, last };
  });
}

/** The pieces that reach into each cell, in order of time. */
function byCell(pieces: readonly Piece[]): [cell: bigint, pieces: Piece[]][] {
  const cells = new Map<bigint, Piece[]>();
  for (const piece of pieces) {
    const { base } = piece.rows;
    const end = (base + BigInt(lastOffset(piece.rows))) >> cellBits;
    for (let cell = base >> cellBits; cell <= end; cell++) entryOf(cells, cell, () => []).push(piece);
  }
  return [...cells].sort(([a], [b]) => (a < b ? -1 : 1));
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

/** Sorts rows by time and joins those of one identity: those from `base` on, and before `base + width`. */
function* merged(
  pieces: readonly Piece[],
  base: bigint,
  width = Number.POSITIVE_INFINITY,
): Steps<OperandRows> {
  const most = pieces.reduce((sum, { rows }) => sum + rows.count, 0);
  let times = new Float64Array(most);
  const sources = new Uint32Array(most);
  const rowOf = new Uint32Array(most);
  let total = 0;
  for (const [source, { rows }] of pieces.entries()) {
    const shift = Number(rows.base - base);
    for (let row = 0; row < rows.count; row++) {
      // Exact where it lies between the two.
      const time = rows.offsets[row]! + shift;
      if (time < 0 || time >= width) continue;
      times[total] = time;
      sources[total] = source;
      rowOf[total++] = row;
    }
    yield;
  }
  times = times.subarray(0, total);
  const order = yield* sortedOrder(times);
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
      const row = rowOf[entry]!;
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
