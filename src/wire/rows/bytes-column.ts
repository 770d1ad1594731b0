import { Kind, presenceWithout } from '../../domain/parameter-data.ts';
import { fault } from '../base/fault.ts';
import { decodeBase64 } from '../json/base64.ts';
import { Byte, describeNext, nextElement, openArray, peek, takeNull } from '../json/json-scanner.ts';
import { plainEnd, readEscaped, readString, stringEnd } from '../json/json-string.ts';
import { finish, reserve } from '../json/scratch.ts';
import { capacityOf, noteLength, type OpenColumn, type Payload, pathOf } from './payload.ts';

/** Reads `["on", null, ...]` to a column of UTF-8. False where it pauses. */
export function readStringColumn(payload: Payload, column: OpenColumn): boolean {
  return readBytesColumn(payload, 'stringValues', column, Kind.String, appendString);
}

/** Reads `["SGk=", null, ...]`, base64, to a column of bytes. False where it pauses. */
export function readBinaryColumn(payload: Payload, column: OpenColumn): boolean {
  return readBytesColumn(payload, 'binaryValues', column, Kind.Binary, appendBinary);
}

/** Appends the next string's value after the first `length` bytes of the column; how many bytes it has. */
type Append = (payload: Payload, length: number, group: string, name: string, row: number) => number;

function readBytesColumn(
  payload: Payload,
  group: string,
  column: OpenColumn,
  kind: typeof Kind.String | typeof Kind.Binary,
  append: Append,
): boolean {
  const { scan, pause } = payload;
  const { name, nulls } = column;
  const capacity = capacityOf(payload);
  const { integers, bytes } = payload.scratch;
  let { length, row } = column;
  if (column.isBegun || openArray(scan)) {
    column.isBegun = true;
    do {
      if (scan.at >= pause.at) {
        column.row = row;
        column.length = length;
        return false;
      }
      if (peek(scan) === Byte.Quote) {
        length += append(payload, length, group, name, row);
      } else if (takeNull(scan)) {
        if (row < capacity) nulls.push(row);
      } else {
        const message = `must be a string or null, not ${describeNext(scan)}`;
        throw fault('wrong_type', pathOf(payload, group, name, row), message);
      }
      if (row < capacity) {
        reserve(integers, row, 1);
        integers.array[integers.used + row] = length;
      } else {
        length = 0;
      }
      row++;
    } while (nextElement(scan));
  }
  noteLength(payload, group, name, row);
  if (nulls.length === row || row > capacity) return true;
  const present = presenceWithout(nulls, row);
  payload.columns.push({ kind, name, bytes: finish(bytes, length), ends: finish(integers, row), present });
  return true;
}

/** The length up to which a loop beats the call of a native copy. */
const shortCopy = 48;

function appendString(payload: Payload, length: number, group: string, name: string, row: number): number {
  const { scan, limits } = payload;
  const arena = payload.scratch.bytes;
  const start = scan.at + 1;
  const plain = plainEnd(scan, start);
  const isPlain = scan.bytes[plain] === Byte.Quote;
  const end = isPlain ? plain : stringEnd(scan, plain);
  reserve(arena, length, end - start);
  const { array, used } = arena;
  let size = end - start;
  if (!isPlain) {
    size = readEscaped(scan, end, array, used + length) - used - length;
  } else if (size > shortCopy) {
    scan.bytes.copy(array, used + length, start, end);
  } else {
    for (let i = 0; i < size; i++) array[used + length + i] = scan.bytes[start + i]!;
  }
  if (size > limits.maxStringBytes) throw tooLong(payload, 'string_too_long', size, group, name, row);
  scan.at = end + 1;
  return size;
}

function appendBinary(payload: Payload, length: number, group: string, name: string, row: number): number {
  const { scan, limits } = payload;
  const arena = payload.scratch.bytes;
  const start = scan.at + 1;
  const end = plainEnd(scan, start);
  let text: Uint8Array = scan.bytes.subarray(start, end);
  if (scan.bytes[end] === Byte.Quote) scan.at = end + 1;
  // Some encoders escape the slash.
  else text = Buffer.from(readString(scan));
  reserve(arena, length, (text.length >> 2) * 3 + 3);
  const size = decodeBase64(text, 0, text.length, arena.array, arena.used + length);
  if (size < 0) throw fault('bad_base64', pathOf(payload, group, name, row), 'is not valid base64');
  if (size > limits.maxBinaryBytes) throw tooLong(payload, 'binary_too_long', size, group, name, row);
  return size;
}

function tooLong(
  payload: Payload,
  code: 'string_too_long' | 'binary_too_long',
  size: number,
  group: string,
  name: string,
  row: number,
) {
  const limit = code === 'string_too_long' ? payload.limits.maxStringBytes : payload.limits.maxBinaryBytes;
  return fault(code, pathOf(payload, group, name, row), `has ${size} bytes; ${limit} are allowed`);
}
