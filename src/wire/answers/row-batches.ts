import { type BytesColumn, type Column, isPresent, Kind } from '../../domain/parameter-data.ts';
import type { ResultBlock, ResultShape } from '../../domain/result.ts';
import { createTagTexts } from './tag-texts.ts';

/**
 * Rows of an answer as Arrow has them in a record batch, and Parquet in a row group: timestamps whole, every column a
 * bitmap and arrays of its own. Blocks (`ResultBlock`) have any number of rows; batches have about the same number.
 */
export interface RecordBatch {
  /** At least one. */
  readonly count: number;
  /** Nanoseconds since the Unix epoch. */
  readonly timestamps: BigInt64Array;
  /** Aligned with the columns of the shape. */
  readonly columns: readonly (NumberCells | BytesCells)[];
  /** Aligned with its groupBy; UTF-8. */
  readonly tags: readonly BytesCells[];
}

export interface NumberCells {
  readonly kind: typeof Kind.Numeric;
  /** 0 where there is none. */
  readonly values: Float64Array;
  readonly present: Uint8Array;
  readonly nulls: number;
}

export interface BytesCells {
  readonly kind: Exclude<Kind, typeof Kind.Numeric>;
  readonly bytes: Uint8Array;
  /** The value of row i is `bytes[starts[i], starts[i + 1])`. */
  readonly starts: Int32Array;
  /** A bitmap: row i is bit `i & 7` of byte `i >> 3`. */
  readonly present: Uint8Array;
  readonly nulls: number;
}

/**
 * The most rows of a batch: one column of so many takes the thread about ten milliseconds, and longer ones would
 * hold it up.
 */
const maxRows = 32 * 1024;
/** The most cells of a batch in all its columns: a wide table has shorter batches. */
const maxCells = 2 * 1024 * 1024;
const minRows = 256;
/** The most bytes of strings and binaries of a batch; one row may go beyond it. */
const maxBytes = 8 * 1024 * 1024;

function rowsOf({ columns, groupBy }: ResultShape): number {
  const cells = 1 + columns.length + groupBy.length;
  return Math.min(maxRows, Math.max(minRows, Math.floor(maxCells / cells)));
}

/** The memory of the largest batch of a shape: about what writing such an answer holds at a time. */
export function batchBytes(shape: ResultShape): number {
  const { columns, groupBy } = shape;
  const hasTexts = groupBy.length > 0 || columns.some(({ kind }) => kind !== Kind.Numeric);
  return rowsOf(shape) * 9 * (1 + columns.length + groupBy.length) + (hasTexts ? maxBytes : 0);
}

/** Blocks of any size as batches of bounded size, none of them small but the last. */
export async function* recordBatches(
  blocks: AsyncIterable<ResultBlock>,
  shape: ResultShape,
): AsyncGenerator<RecordBatch> {
  const { columns, groupBy } = shape;
  const rows = rowsOf(shape);
  const kinds = columns.map(({ kind }) => kind);
  const tagTexts = groupBy.map(() => createTagTexts(encodeText));
  let draft = createDraft(rows, kinds, groupBy.length);
  for await (const block of blocks) {
    const texts = block.tags.map((tag, i) => tagTexts[i]!(tag));
    for (let from = 0; from < block.count; ) {
      from = draft.add(block, texts, from);
      if (!draft.isFull()) continue;
      yield draft.finish();
      draft = createDraft(rows, kinds, groupBy.length);
    }
  }
  if (draft.count() > 0) yield draft.finish();
}

/** The bytes of a tag's value on a row; null for a row without the tag. */
type TextOf = (row: number) => Uint8Array | null;

function encodeText(text: string | undefined): Uint8Array | null {
  return text === undefined ? null : Buffer.from(text);
}

interface Draft {
  /** Takes rows of a block from `from` on, as many as there is room for; gives the row after them. */
  add(block: ResultBlock, tagTexts: readonly TextOf[], from: number): number;
  isFull(): boolean;
  count(): number;
  finish(): RecordBatch;
}

function createDraft(rows: number, kinds: readonly Kind[], tagCount: number): Draft {
  const timestamps = new BigInt64Array(rows);
  const columns = kinds.map((kind) => (kind === Kind.Numeric ? numberDraft(rows) : bytesDraft(rows, kind)));
  const tags = Array.from({ length: tagCount }, () => bytesDraft(rows, Kind.String));
  let count = 0;
  let bytes = 0;
  return {
    add(block, tagTexts, from) {
      const sizes = [
        ...block.columns.flatMap((column) =>
          column === undefined || column.kind === Kind.Numeric ? [] : [sizeIn(column)],
        ),
        ...tagTexts.map((textOf) => (row: number) => textOf(row)?.length ?? 0),
      ];
      const last = Math.min(block.count, from + rows - count);
      let to = from;
      for (; to < last && (bytes < maxBytes || to === from); to++)
        for (const size of sizes) bytes += size(to);
      const { base, offsets } = block;
      for (let row = from; row < to; row++) timestamps[count + row - from] = base + BigInt(offsets[row]!);
      for (const [i, column] of columns.entries()) column.add(block.columns[i], from, to, count);
      for (const [i, tag] of tags.entries()) addTag(tag, tagTexts[i]!, from, to, count);
      count += to - from;
      return to;
    },
    isFull: () => count === rows || bytes >= maxBytes,
    count: () => count,
    finish: () => ({
      count,
      timestamps: timestamps.subarray(0, count),
      columns: columns.map((column) => column.finish(count)),
      tags: tags.map((tag) => tag.finish(count)),
    }),
  };
}

function sizeIn({ ends }: BytesColumn): (row: number) => number {
  return (row) => ends[row]! - (row === 0 ? 0 : ends[row - 1]!);
}

interface ColumnDraft<Cells> {
  /** Rows [from, to) of a column, to stand from `at` on; undefined is all nulls. */
  add(column: Column | undefined, from: number, to: number, at: number): void;
  finish(count: number): Cells;
}

function numberDraft(rows: number): ColumnDraft<NumberCells> {
  const values = new Float64Array(rows);
  const presence = presenceDraft(rows);
  return {
    add(column, from, to, at) {
      if (column?.kind !== Kind.Numeric) return;
      values.set(column.values.subarray(from, to), at);
      presence.add(column.present, from, to, at);
    },
    finish(count) {
      const { present, nulls } = presence.finish(count);
      for (let row = 0; nulls > 0 && row < count; row++) if (!isPresent(present, row)) values[row] = 0;
      return { kind: Kind.Numeric, values: values.subarray(0, count), present, nulls };
    },
  };
}

interface BytesDraft extends ColumnDraft<BytesCells> {
  /** The value of row `at`; rows come in order, those without a value are left out. */
  put(at: number, text: Uint8Array, start: number, end: number): void;
}

function bytesDraft(rows: number, kind: BytesCells['kind']): BytesDraft {
  let bytes = new Uint8Array(1024);
  let used = 0;
  const lengths = new Int32Array(rows);
  const presence = presenceDraft(rows);
  const put = (at: number, text: Uint8Array, start: number, end: number): void => {
    const length = end - start;
    if (used + length > bytes.length) {
      const larger = new Uint8Array(Math.max(bytes.length * 2, used + length));
      larger.set(bytes.subarray(0, used));
      bytes = larger;
    }
    if (length < 32) for (let i = 0; i < length; i++) bytes[used + i] = text[start + i]!;
    else bytes.set(text.subarray(start, end), used);
    used += length;
    lengths[at] = length;
    presence.set(at);
  };
  return {
    put,
    add(column, from, to, at) {
      if (column === undefined || column.kind === Kind.Numeric) return;
      const { ends, present } = column;
      for (let row = from; row < to; row++) {
        if (isPresent(present, row))
          put(at + row - from, column.bytes, row === 0 ? 0 : ends[row - 1]!, ends[row]!);
      }
    },
    finish(count) {
      const starts = new Int32Array(count + 1);
      for (let row = 0; row < count; row++) starts[row + 1] = starts[row]! + lengths[row]!;
      return { kind, bytes: bytes.subarray(0, used), starts, ...presence.finish(count) };
    },
  };
}

function addTag(tag: BytesDraft, textOf: TextOf, from: number, to: number, at: number): void {
  for (let row = from; row < to; row++) {
    const text = textOf(row);
    if (text !== null) tag.put(at + row - from, text, 0, text.length);
  }
}

/** A bitmap that begins empty. */
function presenceDraft(rows: number) {
  const bits = new Uint8Array((rows + 7) >> 3);
  let values = 0;
  const set = (at: number): void => {
    bits[at >> 3] = bits[at >> 3]! | (1 << (at & 7));
    values++;
  };
  return {
    set,
    add(present: Uint8Array | undefined, from: number, to: number, at: number) {
      for (let row = from; row < to; row++) if (isPresent(present, row)) set(at + row - from);
    },
    finish: (count: number) => ({ present: bits.subarray(0, (count + 7) >> 3), nulls: count - values }),
  };
}
