import { Kind, presenceWithout } from '../../domain/parameter-data.ts';
import { fault } from '../base/fault.ts';
import { beyondDouble, readNumber, readPlainNumbers } from '../json/json-number.ts';
import { Byte, describeNext, nextElement, openArray, peek, takeNull } from '../json/json-scanner.ts';
import { readString } from '../json/json-string.ts';
import { isRounded } from '../json/rounded-numbers.ts';
import { finish, reserve } from '../json/scratch.ts';
import { capacityOf, elementsOfLoop, noteLength, type OpenColumn, type Payload, pathOf } from './payload.ts';

const group = 'numericValues';

/**
 * Reads `[1.5, null, "NaN", ...]` to a column of doubles; a column of nothing but nulls is left out. False where it pauses.
 */
export function readNumericColumn(payload: Payload, column: OpenColumn): boolean {
  const { scan, pause } = payload;
  const { name, nulls } = column;
  const capacity = capacityOf(payload);
  const arena = payload.scratch.doubles;
  let { row } = column;
  if (column.isBegun || openArray(scan)) {
    column.isBegun = true;
    do {
      if (scan.at >= pause.at) {
        column.row = row;
        return false;
      }
      const before = row;
      if (row < capacity) {
        reserve(arena, row, 1);
        const { array, used } = arena;
        const room = Math.min(array.length, used + capacity, used + row + elementsOfLoop);
        row = readPlainNumbers(scan, array, used + row, room) - used;
      }
      if (row > before) continue;
      const value = readElement(payload, name, row, row < capacity ? nulls : undefined);
      if (row < capacity) arena.array[arena.used + row] = value;
      row++;
    } while (nextElement(scan));
  }
  noteLength(payload, group, name, row);
  if (nulls.length === row || row > capacity) return true;
  const present = presenceWithout(nulls, row);
  payload.columns.push({ kind: Kind.Numeric, name, values: finish(arena, row), present });
  return true;
}

function readElement(payload: Payload, name: string, row: number, nulls: number[] | undefined): number {
  const { scan, rounded } = payload;
  const byte = peek(scan);
  if ((byte ^ Byte.Zero) > 9 && byte !== Byte.Minus) return readSpecial(payload, name, row, nulls);
  const start = scan.at;
  const value = readNumber(scan);
  if (value !== 0 && Math.abs(value) <= Number.MAX_SAFE_INTEGER) return value;
  if (Number.isFinite(value)) {
    const text = scan.bytes.toString('latin1', start, scan.at);
    if (isRounded(text, value)) rounded.note(text, () => pathOf(payload, group, name, row));
    return value;
  }
  throw fault('invalid_value', pathOf(payload, group, name, row), beyondDouble);
}

/**
 * What is not written as a number: null (0 stands in its place), or a string for what JSON has no number for. Nulls of an
 * array that is too long, which is counted to its end, are not kept.
 */
function readSpecial(payload: Payload, name: string, row: number, nulls: number[] | undefined): number {
  const { scan } = payload;
  if (takeNull(scan)) {
    nulls?.push(row);
    return 0;
  }
  const what = describeNext(scan);
  const value = what === 'a string' ? specialNumbers.get(readString(scan)) : undefined;
  if (value !== undefined) return value;
  const expected = 'must be a number, null, "NaN", "Infinity" or "-Infinity"';
  throw fault('wrong_type', pathOf(payload, group, name, row), `${expected}, not ${what}`);
}

const specialNumbers: ReadonlyMap<string, number> = new Map([
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['-Infinity', Number.NEGATIVE_INFINITY],
]);
