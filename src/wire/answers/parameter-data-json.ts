import {
  type BytesColumn,
  type Column,
  isPresent,
  Kind,
  type NumericColumn,
} from '../../domain/parameter-data.ts';
import type { ResultBlock, ResultShape } from '../../domain/result.ts';
import { longestNumber, putDouble, putTimestamp, splitBase } from '../json/json-number-writer.ts';
import {
  createJsonWriter,
  type JsonWriter,
  makeRoom,
  takeReady,
  takeRest,
  writeBase64,
  writeBytes,
  writeText,
  writeUtf8,
} from '../json/json-writer.ts';
import { createTagTexts } from './tag-texts.ts';

/**
 * The answer of `/parameters/data` (contract, section 4): columns over shared timestamps, all maps always there.
 *
 *   { "timestamps": [int64, ...],
 *     "numericValues": { name: [double | "NaN" | "Infinity" | "-Infinity" | null, ...] },
 *     "stringValues":  { name: [string | null, ...] },
 *     "binaryValues":  { name: [base64 | null, ...] },
 *     "tagValues":     { tag: [string | null, ...] } }
 *
 * Every column of the shape is there, also where no row has a value; `tagValues` holds the tags of groupBy.
 */
export interface EncodeOptions {
  /** Timestamps as strings of digits. */
  readonly int64AsString: boolean;
}

/**
 * Chunks of up to about 64 KiB, the first ones shorter; each is memory of the receiver's. The blocks must not change until
 * the last chunk.
 */
export function* encodeParameterData(
  blocks: readonly ResultBlock[],
  { columns, groupBy }: ResultShape,
  { int64AsString }: EncodeOptions,
): Generator<Uint8Array> {
  const out = createJsonWriter(expectedBytes(blocks, columns.length + groupBy.length));
  writeText(out, '{"timestamps":');
  yield* writeArray(out, blocks, (block) => timestampWriter(out, block, int64AsString));
  for (const [kind, group] of groups) {
    writeText(out, `,"${group}":{`);
    let separator = '';
    for (let i = 0; i < columns.length; i++) {
      const column = columns[i]!;
      if (column.kind !== kind) continue;
      writeText(out, `${separator}${JSON.stringify(column.name)}:`);
      separator = ',';
      yield* writeArray(out, blocks, (block) => cellWriter(out, block.columns[i]));
    }
    writeText(out, '}');
  }
  writeText(out, ',"tagValues":{');
  for (const [i, tag] of groupBy.entries()) {
    writeText(out, `${i === 0 ? '' : ','}${JSON.stringify(tag)}:`);
    const texts = createTagTexts(tagText);
    yield* writeArray(out, blocks, (block) => {
      const textOf = texts(block.tags[i]!);
      return cellRun(out, (row) => writeBytes(out, textOf(row)));
    });
  }
  writeText(out, '}}');
  yield* takeRest(out);
}

/** Most timestamps have 19 digits, and most numbers fewer than nine; a run wants room for the longest. */
function expectedBytes(blocks: readonly ResultBlock[], columns: number): number {
  const rows = blocks.reduce((sum, { count }) => sum + count, 0);
  const run = Math.min(rows, rowsBetweenYields) * (longestNumber + 3);
  return 256 + 32 * columns + rows * (21 + 9 * columns) + run;
}

const groups = [
  [Kind.Numeric, 'numericValues'],
  [Kind.String, 'stringValues'],
  [Kind.Binary, 'binaryValues'],
] as const;

/** Writes the rows [from, to), at least one, with commas between them. */
type RunWriter = (from: number, to: number) => void;
type CellWriter = (row: number) => void;

/** An array with an element per row of all blocks. Gives the chunks that are full on the way. */
function* writeArray(
  out: JsonWriter,
  blocks: readonly ResultBlock[],
  writerOf: (block: ResultBlock) => RunWriter,
): Generator<Uint8Array> {
  let separator = '[';
  for (const block of blocks) {
    const writeRun = writerOf(block);
    for (let from = 0; from < block.count; from += rowsBetweenYields) {
      writeText(out, separator);
      separator = ',';
      writeRun(from, Math.min(block.count, from + rowsBetweenYields));
      yield* takeReady(out);
    }
  }
  writeText(out, separator === '[' ? '[]' : ']');
}

/** The rows between two yields: it keeps the loop over rows out of the generator, which the engine runs slower. */
const rowsBetweenYields = 1024;

function cellRun(out: JsonWriter, writeCell: CellWriter): RunWriter {
  return (from, to) => {
    writeCell(from);
    for (let row = from + 1; row < to; row++) {
      makeRoom(out, 1);
      out.bytes[out.at++] = comma;
      writeCell(row);
    }
  };
}

/** Timestamps and numbers have loops of their own: they are most of what is written. */
function timestampWriter(out: JsonWriter, { base, offsets }: ResultBlock, quoted: boolean): RunWriter {
  const split = splitBase(base);
  return (from, to) => {
    makeRoom(out, (to - from) * (longestNumber + 3));
    const { bytes } = out;
    let { at } = out;
    for (let row = from; row < to; row++) {
      if (row > from) bytes[at++] = comma;
      if (quoted) bytes[at++] = quote;
      at = putTimestamp(out, at, split, offsets[row]!);
      if (quoted) bytes[at++] = quote;
    }
    out.at = at;
  };
}

const comma = 0x2c;
const quote = 0x22;
const nothing = Buffer.from('null');

function cellWriter(out: JsonWriter, column: Column | undefined): RunWriter {
  if (column === undefined) return cellRun(out, () => writeBytes(out, nothing));
  if (column.kind === Kind.Numeric) return numberWriter(out, column);
  const write = bytesWriter(out, column);
  const { present } = column;
  if (present === undefined) return cellRun(out, write);
  return cellRun(out, (row) => (isPresent(present, row) ? write(row) : writeBytes(out, nothing)));
}

function numberWriter(out: JsonWriter, { values, present }: NumericColumn): RunWriter {
  const decimals = { guess: 1 };
  return (from, to) => {
    makeRoom(out, (to - from) * (longestNumber + 1));
    const { bytes } = out;
    let { at } = out;
    for (let row = from; row < to; row++) {
      if (row > from) bytes[at++] = comma;
      if (isPresent(present, row)) at = putDouble(out, at, values[row]!, decimals);
      else at += nothing.copy(bytes, at);
    }
    out.at = at;
  };
}

function bytesWriter(out: JsonWriter, { kind, bytes, ends }: BytesColumn): CellWriter {
  const write = kind === Kind.String ? writeUtf8 : writeBase64;
  return (row) => write(out, bytes, row === 0 ? 0 : ends[row - 1]!, ends[row]!);
}

function tagText(text: string | undefined): Uint8Array {
  return text === undefined ? nothing : Buffer.from(JSON.stringify(text));
}
