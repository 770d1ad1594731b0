import { isPresent, Kind } from '../../domain/parameter-data.ts';
import type { ResultBlock, ResultShape } from '../../domain/result.ts';
import { tableNames, timestampName } from '../../domain/table-names.ts';
import { encodeBase64 } from '../json/base64.ts';
import { longestNumber, putDouble, putTimestamp, splitBase } from '../json/json-number-writer.ts';
import {
  createJsonWriter,
  type JsonWriter,
  makeRoom,
  takeReady,
  takeRest,
  writeBytes,
} from '../json/json-writer.ts';
import { createTagTexts } from './tag-texts.ts';

/**
 * The answer of `/parameters/data` as CSV (RFC 4180, UTF-8, lines end in CR LF): a header, then a line per row.
 *
 *   Timestamp,<parameter>,...,TAG__<tag>,...
 *
 *   timestamp   int64, nanoseconds since the Unix epoch
 *   number      shortest text that reads as the same double; NaN, Infinity, -Infinity
 *   string, tag the text; in quotes where it has a comma, a quote or a line break, and where it is empty
 *   string      in quotes also where it begins like a number, so that a reader can tell it from one
 *   binary      base64, padded
 *   no value    an empty cell, without quotes
 */
export async function* encodeCsv(
  blocks: AsyncIterable<ResultBlock>,
  shape: ResultShape,
): AsyncGenerator<Uint8Array> {
  const out = createJsonWriter();
  const names = tableNames(shape);
  writeBytes(
    out,
    Buffer.from(`${[timestampName, ...names.columns, ...names.tags].map(quoted).join(',')}\r\n`),
  );
  const rowsBetweenYields = Math.max(1, Math.floor(cellsBetweenYields / (1 + names.columns.length)));
  const tagTexts = shape.groupBy.map(() => createTagTexts(tagCell));
  for await (const block of blocks) {
    const writeRow = rowWriter(out, block, tagTexts);
    for (let from = 0; from < block.count; from += rowsBetweenYields) {
      const to = Math.min(block.count, from + rowsBetweenYields);
      for (let row = from; row < to; row++) writeRow(row);
      yield* takeReady(out);
    }
  }
  yield* takeRest(out);
}

/** The cells between two yields: some milliseconds of work. */
const cellsBetweenYields = 32 * 1024;

const comma = 0x2c;
const quote = 0x22;
const carriageReturn = 0x0d;
const lineFeed = 0x0a;

type Write = (row: number) => void;

function rowWriter(
  out: JsonWriter,
  block: ResultBlock,
  tagTexts: readonly ReturnType<typeof createTagTexts<Uint8Array>>[],
): Write {
  const split = splitBase(block.base);
  const { offsets } = block;
  const cells = block.columns.map((_, i) => cellWriter(out, block, i));
  for (const [i, tag] of block.tags.entries()) {
    const textOf = tagTexts[i]!(tag);
    cells.push((row) => writeBytes(out, textOf(row)));
  }
  return (row) => {
    makeRoom(out, longestNumber);
    out.at = putTimestamp(out, out.at, split, offsets[row]!);
    for (const write of cells) {
      makeRoom(out, 1);
      out.bytes[out.at++] = comma;
      write(row);
    }
    makeRoom(out, 2);
    out.bytes[out.at++] = carriageReturn;
    out.bytes[out.at++] = lineFeed;
  };
}

function nothing(): void {}

function cellWriter(out: JsonWriter, block: ResultBlock, i: number): Write {
  const column = block.columns[i];
  if (column === undefined) return nothing;
  const { present } = column;
  if (column.kind === Kind.Numeric) {
    const { values } = column;
    const decimals = { guess: 1 };
    return (row) => {
      if (!isPresent(present, row)) return;
      const value = values[row]!;
      makeRoom(out, longestNumber);
      out.at = Number.isFinite(value)
        ? putDouble(out, out.at, value, decimals)
        : out.at + out.bytes.write(String(value), out.at, 'latin1');
    };
  }
  const { bytes, ends, kind } = column;
  const write = kind === Kind.String ? writeString : writeBinary;
  return (row) => {
    if (isPresent(present, row)) write(out, bytes, row === 0 ? 0 : ends[row - 1]!, ends[row]!);
  };
}

function tagCell(text: string | undefined): Uint8Array {
  return Buffer.from(text === undefined ? '' : quoted(text));
}

function quoted(text: string): string {
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The string whose UTF-8 is `text[start, end)`. */
function writeString(out: JsonWriter, text: Uint8Array, start: number, end: number): void {
  makeRoom(out, (end - start) * 2 + 2);
  const { bytes } = out;
  const begin = out.at;
  let at = begin;
  let isQuoted = end === start || looksNumeric(text, start, end);
  for (let i = start; i < end && !isQuoted; i++) {
    const byte = text[i]!;
    isQuoted = byte === quote || byte === comma || byte === carriageReturn || byte === lineFeed;
    bytes[at++] = byte;
  }
  if (isQuoted) {
    at = begin;
    bytes[at++] = quote;
    for (let i = start; i < end; i++) {
      const byte = text[i]!;
      if (byte === quote) bytes[at++] = quote;
      bytes[at++] = byte;
    }
    bytes[at++] = quote;
  }
  out.at = at;
}

/** Whether a text begins as numbers do, or is one of the words for them. */
function looksNumeric(text: Uint8Array, start: number, end: number): boolean {
  const first = text[start]!;
  if (first >= 0x2b && first <= 0x39) return true;
  if (first !== 0x4e && first !== 0x49) return false;
  return numberWords.some(
    (word) => word.length === end - start && word.every((byte, i) => text[start + i] === byte),
  );
}

const numberWords = [Buffer.from('NaN'), Buffer.from('Infinity')];

function writeBinary(out: JsonWriter, data: Uint8Array, start: number, end: number): void {
  makeRoom(out, (end - start + 2) * 2 + 2);
  if (end > start) {
    out.at = encodeBase64(data, start, end, out.bytes, out.at);
  } else {
    out.bytes[out.at++] = quote;
    out.bytes[out.at++] = quote;
  }
}
