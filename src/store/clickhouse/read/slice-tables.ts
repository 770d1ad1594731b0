import { sortRows } from '../../../query/groups/paced-sort.ts';
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

/** The tables of a stream that are compared with a parameter's times. */
const tablesCompared = 4;

export async function tablesOf(slice: Slice, pace: Pace): Promise<SliceTables> {
  const { pieces } = slice;
  let order = await sortRows(pieces.starts.length, pieceOrder(slice), pace);
  if (pieces.versions.length > 0) order = await newestPieces(slice, order, pace);
  const builder = new TableBuilder(slice);
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

/** Puts columns together to tables, as they come in the order of the slice's pieces. */
class TableBuilder {
  readonly #slice: Slice;
  readonly #hasTags: boolean;
  readonly #windows: TableWindow[] = [];
  readonly #numbered = numberIdentities();
  readonly #rows: TableRows = {
    offsets: new Float64Array(0),
    identities: new Uint32Array(0),
    tables: new Uint32Array(0),
  };
  readonly #firstRows: number[] = [];
  readonly #lastColumns: number[] = [];
  readonly #columns: TableColumns = { parameters: [], firstValues: [], others: [] };
  readonly #values: TableValues;
  /** Values and rows so far. */
  #valueCount = 0;
  #rowCount = 0;
  /** Where the last column stood: its window, its stream (-1 before the first of a window), and the stream's first table there. */
  #windowNumber = 0;
  #stream = -1;
  #firstTable = 0;

  constructor(slice: Slice) {
    this.#slice = slice;
    this.#hasTags = slice.tagSets.length > 1;
    const texts = slice.blocks.flatMap((block) => block.texts ?? []);
    const textCount = texts.length > 0 ? slice.values : 0;
    this.#values = {
      numbers: new Float64Array(slice.values),
      chunks: new Uint32Array(textCount),
      places: new Uint32Array(textCount),
      texts,
    };
  }

  /** Adds the values of a parameter of a stream in a window, as pieces in order of time. */
  addColumn(ofColumn: Uint32Array): void {
    const piece = ofColumn[0]!;
    this.#enterStream(piece);
    const firstValue = this.#valueCount;
    for (const each of ofColumn) this.#copyValues(each);
    const table = this.#tableOf(ofColumn, this.#valueCount - firstValue);
    const columns = this.#columns;
    columns.parameters.push(this.#slice.pieces.parameters[piece]!);
    columns.firstValues.push(firstValue);
    this.#lastColumns[table] = columns.others.push(this.#lastColumns[table]!) - 1;
  }

  build(): SliceTables {
    return {
      windows: this.#windows,
      identities: this.#numbered.identities,
      rows: this.#rows,
      firstRows: this.#firstRows,
      lastColumns: this.#lastColumns,
      columns: this.#columns,
      values: this.#values,
    };
  }

  /** Begins the window and the stream of a piece, where it is the first of them. */
  #enterStream(piece: number): void {
    const { windows, streams } = this.#slice.pieces;
    if (this.#windows.length === 0 || windows[piece] !== this.#windowNumber) {
      this.#windowNumber = windows[piece]!;
      const row = this.#rowCount;
      this.#windows.push({ number: this.#windowNumber, from: row, to: row, tables: 0 });
      this.#stream = -1;
    }
    if (streams[piece] !== this.#stream) {
      this.#stream = streams[piece]!;
      this.#firstTable = this.#firstRows.length;
    }
  }

  #copyValues(piece: number): void {
    const { blocks, pieces } = this.#slice;
    const { numbers: into, chunks, places, texts } = this.#values;
    const at = this.#valueCount;
    const chunk = pieces.blocks[piece]!;
    const { numbers } = blocks[chunk]!;
    const [start, end] = [pieces.starts[piece]!, pieces.ends[piece]!];
    if (end - start < 32) for (let i = start; i < end; i++) into[at + i - start] = numbers[i]!;
    else into.set(numbers.subarray(start, end), at);
    if (texts.length > 0) {
      chunks.fill(chunk, at, at + end - start);
      for (let i = start; i < end; i++) places[at + i - start] = i;
    }
    this.#valueCount = at + end - start;
  }

  /** The stream's table with the rows of a column, one of the last or a new one. */
  #tableOf(ofColumn: Uint32Array, length: number): number {
    const last = this.#firstRows.length - 1;
    const oldest = Math.max(this.#firstTable, last + 1 - tablesCompared);
    for (let table = last; table >= oldest; table--) if (this.#hasRows(table, length, ofColumn)) return table;
    return this.#addTable(length, ofColumn);
  }

  /** Whether a table's rows are those of a column. */
  #hasRows(table: number, length: number, ofColumn: Uint32Array): boolean {
    const { blocks, pieces } = this.#slice;
    const { offsets, identities: numbers } = this.#rows;
    const { identities } = this.#numbered;
    const hasTags = this.#hasTags;
    let row = this.#firstRows[table]!;
    if ((this.#firstRows[table + 1] ?? this.#rowCount) - row !== length) return false;
    for (const piece of ofColumn) {
      const block = blocks[pieces.blocks[piece]!]!;
      const end = pieces.ends[piece]!;
      for (let i = pieces.starts[piece]!; i < end; i++, row++) {
        if (offsetOf(block, i) !== offsets[row]) return false;
        if (hasTags && block.tagSets[block.tagIndex[i]!] !== identities[numbers[row]!]!.tags) return false;
      }
    }
    return true;
  }

  #addTable(length: number, ofColumn: Uint32Array): number {
    const { blocks, pieces } = this.#slice;
    makeRoom(this.#rows, this.#rowCount + length);
    const { offsets, identities, tables } = this.#rows;
    const { identityOf } = this.#numbered;
    const stream = this.#stream;
    let row = this.#rowCount;
    const table = this.#firstRows.push(row) - 1;
    this.#lastColumns.push(-1);
    for (const piece of ofColumn) {
      const block = blocks[pieces.blocks[piece]!]!;
      const end = pieces.ends[piece]!;
      for (let i = pieces.starts[piece]!; i < end; i++, row++) {
        offsets[row] = offsetOf(block, i);
        identities[row] = identityOf(stream, block.tagSets[block.tagIndex[i]!]!);
        tables[row] = table;
      }
    }
    this.#rowCount = row;
    const window = this.#windows.at(-1)!;
    window.to = row;
    window.tables++;
    return table;
  }
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
