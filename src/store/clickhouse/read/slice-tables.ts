import { sortRows } from '../../../query/paced-sort.ts';
import type { Pace } from '../../../turns/pace.ts';
import type { Strings } from './byte-reader.ts';
import { newestPieces } from './newest-pieces.ts';
import { isOneColumn, offsetOf, type Slice } from './slice.ts';

/**
 * The values of a slice as tables. Parameters of a stream that were written together have the same times and tags: their
 * values are the columns of one table, whose rows are put in order once for all of them. A parameter with times of its
 * own is a table by itself. Rows and values stand table by table and column by column, one after another.
 */
export interface SliceTables {
  readonly windows: readonly TableWindow[];
  readonly identities: readonly Identity[];
  readonly rows: TableRows;
  /** Per table its first row and its last column. */
  readonly firstRows: readonly number[];
  readonly lastColumns: readonly number[];
  readonly columns: TableColumns;
  readonly values: TableValues;
}

/** Rows [from, to) of one window of time. */
export interface TableWindow {
  readonly number: number;
  readonly from: number;
  to: number;
  tables: number;
}

/** What makes a row besides its time: indexes into the slice's streams and tag sets. */
export interface Identity {
  readonly stream: number;
  readonly tags: number;
}

export interface TableRows {
  /** ns from the start of the window. */
  offsets: Float64Array;
  identities: Uint32Array;
  tables: Uint32Array;
}

export interface TableColumns {
  /** Indexes into the plan's parameters. */
  readonly parameters: number[];
  /** The value in the table's first row; those of the following rows come after it. */
  readonly firstValues: number[];
  /** Another column of the same table, -1 at the end. */
  readonly others: number[];
}

export interface TableValues {
  readonly numbers: Float64Array;
  /** Of strings, binaries and events: which of `texts`, and which string of it. */
  readonly chunks: Uint32Array;
  readonly places: Uint32Array;
  readonly texts: readonly Strings[];
}

/** So many tables of a stream are compared with a parameter's times. */
const tablesCompared = 4;

export async function tablesOf(slice: Slice, pace: Pace): Promise<SliceTables> {
  const { pieces } = slice;
  let order = await sortRows(pieces.starts.length, pieceOrder(slice), pace);
  if (pieces.versions.length > 0) order = await newestPieces(slice, order, pace);
  const builder = tableBuilder(slice);
  for (let from = 0; from < order.length; ) {
    let to = from + 1;
    while (to < order.length && isOneColumn(pieces, order[from]!, order[to]!)) to++;
    builder.addColumn(order.subarray(from, to));
    from = to;
    const turn = pace();
    if (turn !== undefined) await turn;
  }
  return builder.build();
}

function pieceOrder({ blocks, pieces }: Slice): (a: number, b: number) => number {
  const { windows, streams, parameters, starts } = pieces;
  const first = (piece: number) => offsetOf(blocks[pieces.blocks[piece]!]!, starts[piece]!);
  return (a, b) =>
    windows[a]! - windows[b]! ||
    streams[a]! - streams[b]! ||
    parameters[a]! - parameters[b]! ||
    first(a) - first(b);
}

function tableBuilder({ blocks, pieces, tagSets, values: count }: Slice) {
  const windows: TableWindow[] = [];
  const { identities, identityOf } = numberIdentities();
  const rows: TableRows = {
    offsets: new Float64Array(0),
    identities: new Uint32Array(0),
    tables: new Uint32Array(0),
  };
  const firstRows: number[] = [];
  const lastColumns: number[] = [];
  const columns: TableColumns = { parameters: [], firstValues: [], others: [] };
  const texts = blocks.flatMap((block) => block.texts ?? []);
  const values: TableValues = {
    numbers: new Float64Array(count),
    chunks: new Uint32Array(texts.length > 0 ? count : 0),
    places: new Uint32Array(texts.length > 0 ? count : 0),
    texts,
  };
  const hasTags = tagSets.length > 1;
  let copied = 0;
  let rowCount = 0;
  let windowNumber = 0;
  let stream = -1;
  /** The first table of the stream in the window. */
  let begun = 0;

  function addColumn(ofColumn: Uint32Array): void {
    const piece = ofColumn[0]!;
    if (windows.length === 0 || pieces.windows[piece] !== windowNumber) {
      windowNumber = pieces.windows[piece]!;
      windows.push({ number: windowNumber, from: rowCount, to: rowCount, tables: 0 });
      stream = -1;
    }
    if (pieces.streams[piece] !== stream) {
      stream = pieces.streams[piece]!;
      begun = firstRows.length;
    }
    const firstValue = copied;
    for (const each of ofColumn) copyValues(each);
    const length = copied - firstValue;
    const oldest = Math.max(begun, firstRows.length - tablesCompared);
    let table = firstRows.length - 1;
    while (table >= oldest && !hasRows(table, length, ofColumn)) table--;
    if (table < oldest) table = addTable(length, ofColumn);
    columns.parameters.push(pieces.parameters[piece]!);
    columns.firstValues.push(firstValue);
    lastColumns[table] = columns.others.push(lastColumns[table]!) - 1;
  }

  function copyValues(piece: number): void {
    const chunk = pieces.blocks[piece]!;
    const { numbers } = blocks[chunk]!;
    const [start, end] = [pieces.starts[piece]!, pieces.ends[piece]!];
    if (end - start < 32) for (let i = start; i < end; i++) values.numbers[copied + i - start] = numbers[i]!;
    else values.numbers.set(numbers.subarray(start, end), copied);
    if (texts.length > 0) {
      values.chunks.fill(chunk, copied, copied + end - start);
      for (let i = start; i < end; i++) values.places[copied + i - start] = i;
    }
    copied += end - start;
  }

  /** Whether a table's rows are those of a column. */
  function hasRows(table: number, length: number, ofColumn: Uint32Array): boolean {
    let row = firstRows[table]!;
    if ((firstRows[table + 1] ?? rowCount) - row !== length) return false;
    for (const piece of ofColumn) {
      const block = blocks[pieces.blocks[piece]!]!;
      const end = pieces.ends[piece]!;
      for (let i = pieces.starts[piece]!; i < end; i++, row++) {
        if (offsetOf(block, i) !== rows.offsets[row]) return false;
        if (hasTags && block.tagSets[block.tagIndex[i]!] !== identities[rows.identities[row]!]!.tags)
          return false;
      }
    }
    return true;
  }

  function addTable(length: number, ofColumn: Uint32Array): number {
    makeRoom(rows, rowCount + length);
    const table = firstRows.push(rowCount) - 1;
    lastColumns.push(-1);
    for (const piece of ofColumn) {
      const block = blocks[pieces.blocks[piece]!]!;
      const end = pieces.ends[piece]!;
      for (let i = pieces.starts[piece]!; i < end; i++, rowCount++) {
        rows.offsets[rowCount] = offsetOf(block, i);
        rows.identities[rowCount] = identityOf(stream, block.tagSets[block.tagIndex[i]!]!);
        rows.tables[rowCount] = table;
      }
    }
    const window = windows.at(-1)!;
    window.to = rowCount;
    window.tables++;
    return table;
  }

  return {
    addColumn,
    build: (): SliceTables => ({ windows, identities, rows, firstRows, lastColumns, columns, values }),
  };
}

/** Identities numbered as they come; neighbouring rows mostly have the same. */
function numberIdentities() {
  const identities: Identity[] = [];
  const numbers = new Map<number, number>();
  let last = -1;
  return {
    identities,
    identityOf(stream: number, tags: number): number {
      const before = identities[last];
      if (before !== undefined && before.stream === stream && before.tags === tags) return last;
      // Both are below 2^26: a slice has fewer values.
      const key = stream * 2 ** 26 + tags;
      last = numbers.get(key) ?? identities.push({ stream, tags }) - 1;
      numbers.set(key, last);
      return last;
    },
  };
}

function makeRoom(rows: TableRows, needed: number): void {
  const { length } = rows.offsets;
  if (needed <= length) return;
  const room = Math.max(needed, 2 * length);
  const { offsets, identities, tables } = rows;
  rows.offsets = new Float64Array(room);
  rows.offsets.set(offsets);
  rows.identities = new Uint32Array(room);
  rows.identities.set(identities);
  rows.tables = new Uint32Array(room);
  rows.tables.set(tables);
}
