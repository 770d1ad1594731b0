import { checkPlaces } from '../../import/tables/name-columns.ts';
import { TableFault } from '../../import/tables/table-fault.ts';
import { isFault, type RowFault, rowMapper } from '../../import/text/map-rows.ts';
import { openText } from '../../import/text/open-text.ts';
import { readRows, settleText, type TextSurvey } from '../../import/text/survey-text.ts';
import {
  type ColumnRole,
  namesText,
  TextFault,
  type TextLayout,
  type TextSettings,
  type TimeForm,
} from '../../import/text/text-layout.ts';
import { CommandError } from '../command.ts';
import { type ColumnUse, numberText } from './import-cell.ts';
import type { ImportTable, TablePlace } from './import-table.ts';
import { openFile } from './open-file.ts';

/** A text file that was read once, from its first row to its last, and found good. */
export interface ImportText extends ImportTable {
  readonly layout: TextLayout;
  readonly survey: TextSurvey;
}

/**
 * Surveys a text file as loggers and spreadsheets write it. Every row is checked. Throws a CommandError that names the line.
 * @param onPart is told which part of the file is checked, from 0 to 1
 */
export async function openTextTable(
  path: string,
  settings: TextSettings,
  place: TablePlace,
  onPart: (part: number) => void = () => undefined,
): Promise<ImportText> {
  const file = await openFile(path);
  const onBytes = (bytes: number): void => onPart(bytes / file.size);
  try {
    const opened = await openText(file, settings);
    if (!opened.columns.some(({ role }) => role === 'time')) throw noTime(opened);
    if (opened.timeDoubt !== undefined) throw new TextFault(opened.headerLine, opened.timeDoubt.message);
    const apart = (['tag', 'stream', 'topic'] as const).filter((role) => useOf(role, place) !== 'ignored');
    const { survey, layout } = await settleText(file, opened, onBytes, { mostFaults: 1, apart });
    checkStart(layout, settings, survey);
    const [fault] = survey.firstFaults;
    if (fault !== undefined) throw new TextFault(fault.line, fault.message + wayOn(fault));
    checkPlaces(
      layout.columns.map(({ role }) => role),
      place,
    );
    const columns = layout.columns.map(({ name, header, role }) => ({
      name,
      use: settings.skip?.includes(header) === true ? 'ignored' : useOf(role, place),
    }));
    let line = 0;
    const onLine = (of: number): void => {
      line = of;
    };
    return {
      ...{ columns, rows: survey.rows, layout, survey, times: survey.times, start: layout.start },
      line: () => line,
      read: () => readCells(path, layout, onLine),
    };
  } catch (error) {
    throw named(path, error);
  } finally {
    await file.close();
  }
}

const wholeForms: readonly TimeForm[] = ['iso', 'day-first', 'month-first', 'excel'];
const units: readonly TimeForm[] = ['s', 'ms', 'us', 'ns'];
/** Numbers from here on are since 1970 (ns). */
const least1970 = 500_000_000_000_000_000n;

/** Throws a TextFault where times would not move by the start that is given, or say themselves that they are since 1970. */
function checkStart(
  { columns, timeForm, headerLine }: TextLayout,
  { start }: TextSettings,
  { to }: TextSurvey,
): void {
  if (start === undefined) return;
  const isFrom1970 = units.includes(timeForm) && to !== undefined && start !== 0n && to - start >= least1970;
  if (!isFrom1970 && !wholeForms.includes(timeForm) && !columns.some(({ role }) => role === 'day')) return;
  const time = columns.find(({ role }) => role === 'time')!;
  throw new TextFault(headerLine, `--start has no meaning here: the times of ${time.header} have a date`);
}

/** What a user can do about a cell in a column of numbers, besides mending it. */
function wayOn({ notNumber }: RowFault): string {
  if (notNumber === undefined) return '';
  const { header, cell } = notNumber;
  const [column, missing] = [header, cell.trim()].map((name) => `'${name.replaceAll(',', '\\,')}'`);
  const noValue = missing!.length > 40 ? '' : `--missing ${missing} takes it for no value, `;
  return `, as most cells of the column are; ${noValue}--texts ${column} takes the column for text`;
}

async function* readCells(
  path: string,
  layout: TextLayout,
  onLine: (line: number) => void,
): AsyncGenerator<string[]> {
  const file = await openFile(path);
  const mapRow = rowMapper(layout);
  const time = layout.columns.findIndex(({ role }) => role === 'time');
  try {
    for await (const { rows } of readRows(file, layout)) {
      for (const read of rows) {
        const row = mapRow(read);
        if (row === undefined) continue;
        if (isFault(row)) throw new TextFault(row.line, row.message);
        onLine(row.line);
        yield row.cells.map((cell, i) => (i === time ? String(row.time) : cellText(cell)));
      }
    }
  } catch (error) {
    throw named(path, error);
  } finally {
    await file.close();
  }
}

function cellText(cell: number | string | null): string {
  return typeof cell === 'string' ? JSON.stringify(cell) : numberText(cell);
}

const uses: Readonly<Record<Exclude<ColumnRole, 'stream' | 'topic'>, ColumnUse>> = {
  time: 'timestamp',
  day: 'day',
  auto: 'empty',
  number: 'numeric',
  text: 'string',
  binary: 'binary',
  tag: 'tag',
  skip: 'empty',
};

/** What says of rows where they go counts only where the command line does not. */
function useOf(role: ColumnRole, place: TablePlace): ColumnUse {
  if (role !== 'stream' && role !== 'topic') return uses[role];
  return place[role] === undefined ? role : 'ignored';
}

function noTime({ columns, width, headerLine }: TextLayout): TextFault {
  const headers = columns.slice(0, width).map(({ header }) => header);
  return new TextFault(
    headerLine,
    `no column is a time; --timestamp names it, --header the line of the names. Found: ${namesText(headers)}`,
  );
}

function named(path: string, error: unknown): Error {
  if (error instanceof TextFault || error instanceof TableFault)
    return new CommandError(`${path}: ${error.message}`);
  // Of the system, such as a disk that fails.
  const { message, errno } = error as NodeJS.ErrnoException;
  return errno === undefined ? (error as Error) : new CommandError(`${path} cannot be read: ${message}`);
}
