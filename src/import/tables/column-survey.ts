import { Kind } from '../../domain/parameter-data.ts';
import { isVanished } from '../../domain/vanished-number.ts';
import { plainText } from '../text/text-layout.ts';
import { isDouble, isNumber } from './numbers.ts';
import { TableFault } from './table-fault.ts';
import type { Cell, CellKind, NumberCell } from './table-source.ts';

/** What a column of values becomes; without a single value it is empty. */
export type ValueUse = 'numeric' | 'string' | 'binary' | 'empty';

/** Finds out, row by row, what a column of values holds. */
export interface ColumnSurvey {
  /** @param row from 1. Throws a TableFault that names row and column where the value cannot be part of the column. */
  see(cell: Cell, row: number): void;
  use(): ValueUse;
  /** Where most values are numbers and the column is string all the same: why. And the numbers that are 0 only here. */
  notes(): string[];
}

/** A column is numeric if each of its values is a number that a double holds, else string; or of the kind given. */
export function createColumnSurvey(column: string, kind: Kind | undefined, cellKind: CellKind): ColumnSurvey {
  let use: ValueUse = 'empty';
  let numbers = 0;
  let texts = 0;
  let why: string | undefined;
  let vanished = 0;
  let firstVanished = '';
  const isPlain = cellKind === 'plain';
  return {
    see(cell, row) {
      if (cell === null) return;
      const needed =
        kind === undefined ? useOf(cell, isPlain) : checkKind(cell, kind, `row ${row}, column ${column}`);
      const isRounded = kind === undefined && isPlain && needed === 'string' && typeof cell !== 'string';
      if (needed === 'numeric' || isRounded) numbers++;
      else texts++;
      if (needed === 'string') {
        const digits = isRounded ? ', more digits than a number keeps' : '';
        why ??= `row ${row}, column ${column} is '${textStart(cell)}'${digits}, so that the column is text`;
      }
      if (isNumberCell(cell) && isVanished(cell.text, cell.value) && vanished++ === 0)
        firstVanished = `row ${row}: ${textStart(cell)}`;
      if (use === 'empty' || use === needed) use = needed;
      else if (use === 'binary' || needed === 'binary')
        throw new TableFault(`row ${row}, column ${column} mixes binaries with others`);
      else use = 'string';
    },
    use: () => use,
    notes: () => [
      ...(use === 'string' && numbers > texts && why !== undefined ? [why] : []),
      ...(use === 'numeric' && vanished > 0
        ? [
            `numbers nearer to 0 than a number can be, made 0, in column ${column}: ${vanished} (${firstVanished})`,
          ]
        : []),
    ],
  };
}

function isNumberCell(cell: Cell): cell is NumberCell {
  return typeof cell === 'object' && cell !== null && 'text' in cell;
}

function textStart(cell: Cell): string {
  const text = isNumberCell(cell) ? cell.text : String(cell);
  return plainText(text.slice(0, 40));
}

function useOf(cell: NonNullable<Cell>, isPlain: boolean): Exclude<ValueUse, 'empty'> {
  switch (typeof cell) {
    case 'number':
      return 'numeric';
    case 'string':
      return 'string';
    case 'bigint':
      return isPlain && isDouble(cell) ? 'numeric' : 'string';
    default:
      if (cell instanceof Uint8Array) return 'binary';
      return isNumber(cell.text) ? 'numeric' : 'string';
  }
}

function checkKind(cell: NonNullable<Cell>, kind: Kind, place: string): Exclude<ValueUse, 'empty'> {
  if (kind === Kind.Numeric) {
    if (typeof cell === 'string' || cell instanceof Uint8Array)
      throw new TableFault(`${place} is not a number`);
    return 'numeric';
  }
  if (kind !== Kind.Binary) return cell instanceof Uint8Array ? 'binary' : 'string';
  if (!(cell instanceof Uint8Array) && (typeof cell !== 'string' || !isBase64(cell)))
    throw new TableFault(`${place} is not base64`);
  return 'binary';
}

/** Canonical: unused bits are zero; padding may be left out. */
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw](?:==)?|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=?)?$/;

function isBase64(text: string): boolean {
  return base64.test(text);
}
