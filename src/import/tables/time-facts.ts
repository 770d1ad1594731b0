import { namesZone, timeOfCell } from '../text/cells.ts';
import type { TimeForm } from '../text/text-layout.ts';
import { TableFault } from './table-fault.ts';
import type { Cell, SourceColumn, TimeFacts } from './table-source.ts';

/** Looks at the time of each row. */
export interface TimeSurvey {
  /** @param row from 1. Throws a TableFault for what is no time. */
  see(cell: Cell, row: number): void;
  facts(): TimeFacts;
}

/** Forms that are not numbers in a unit. */
export const textForms: readonly TimeForm[] = ['iso', 'day-first', 'month-first', 'clock', 'hhmmss', 'excel'];

/** The end of 1970, ns since the Unix epoch. */
export const endOf1970 = 31_536_000_000_000_000n;

const decimal = /^[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$/;

/** @param form that is given for the column */
export function createTimeSurvey(column: SourceColumn, form: TimeForm | undefined): TimeSurvey {
  const { name, kind } = column;
  const isText = form !== undefined && textForms.includes(form);
  let typed: { least: bigint; most: bigint } | undefined;
  let early = 0;
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  let leastCell: Cell = null;
  let mostCell: Cell = null;
  let areWhole = true;
  let texts = 0;
  let local: TimeFacts['local'];
  const seeTyped = (time: bigint): void => {
    if (time < endOf1970) early++;
    typed ??= { least: time, most: time };
    if (time < typed.least) typed.least = time;
    if (time > typed.most) typed.most = time;
  };
  const seeNumber = (value: number, cell: Cell): void => {
    if (!Number.isInteger(value)) areWhole = false;
    if (value < least) [least, leastCell] = [value, cell];
    if (value > most) [most, mostCell] = [value, cell];
  };
  return {
    see(cell, row) {
      if (typeof cell === 'bigint' && kind !== 'plain') return seeTyped(cell);
      if (typeof cell === 'bigint' && !isText) return seeNumber(Number(cell), cell);
      if (typeof cell === 'number' && !isText && Number.isFinite(cell)) return seeNumber(cell, cell);
      const place = `row ${row}, column ${name}`;
      if (cell === null) throw new TableFault(`${place}: there is no timestamp`);
      if (cell instanceof Uint8Array) throw new TableFault(`${place}: a timestamp is no bytes`);
      const text = cellText(cell).trim();
      if (!isText && decimal.test(text) && Number.isFinite(Number(text)))
        return seeNumber(Number(text), cell);
      if ((form !== undefined && !isText) || timeOfCell(text, form ?? 'iso', 0n) === undefined)
        throw new TableFault(`${place}: ${noTime(text, form)}`);
      texts++;
      if (local === undefined && !namesZone(text, form ?? 'iso')) local = { row, text };
    },
    facts: () => ({
      typed,
      early,
      numbers: leastCell === null ? undefined : { least: leastCell, most: mostCell },
      areWhole,
      texts,
      local,
    }),
  };
}

/** A number or text as text. */
export function cellText(cell: Exclude<Cell, Uint8Array>): string {
  return typeof cell === 'object' && cell !== null ? cell.text : String(cell);
}

/** What is wrong with a text that is no time, with the form that it has, if it has one. */
function noTime(text: string, form: TimeForm | undefined): string {
  const shown = `'${text.length > 40 ? `${text.slice(0, 40)}…` : text}'`;
  if (form !== undefined) return `${shown} is no time as --time-format ${form} says`;
  const found = (['clock', 'day-first', 'month-first'] as const).filter(
    (one) => timeOfCell(text, one, 0n) !== undefined,
  );
  if (found.length === 0)
    return `${shown} is neither a number nor a time like 2024-05-31T12:30:00.000000001Z`;
  const start = found[0] === 'clock' ? ' and --start DAY' : '';
  return `${shown} is a time only with --time-format ${found.join(' or ')}${start}`;
}
