import { timestampName } from '../../domain/table-names.ts';
import { type Pace, withoutPause } from '../../turns/pace.ts';
import type { FileBytes } from '../file-bytes.ts';
import { filledWidth } from './comment-marks.ts';
import type { DayForm } from './compact-times.ts';
import { clockOf, type DateOrder, nsOfDay } from './dates.ts';
import { decimalsSeen } from './decimals.ts';
import type { DelimitedRow } from './delimited.ts';
import { durationOf } from './durations.ts';
import { firstText, guessEncoding, readFirst } from './encoding.ts';
import { type FoundRows, findRows } from './find-rows.ts';
import { isExport, nameColumns } from './guess-columns.ts';
import { findTime, isDate, isFrom1970, orderOf } from './guess-time.ts';
import { linesOf } from './line-breaks.ts';
import { isComment } from './map-rows.ts';
import { isHemisphere, unitOfCells } from './odd-numbers.ts';
import { type Preamble, readPreamble } from './preamble.ts';
import { raceCaptureHeaders } from './race-capture.ts';
import { rowsLeftOut } from './rows-above.ts';
import { isSerialMonitor } from './serial-monitor.ts';
import {
  namesText,
  type Separator,
  type TextColumn,
  TextFault,
  type TextLayout,
  type TextSettings,
  type TimeDoubt,
  type TimeForm,
} from './text-layout.ts';
import { zoneOfName } from './time-names.ts';
import { doubt } from './time-sizes.ts';
import { isVbo, vboColumns } from './vbo.ts';
import { zoneOfColumns } from './zone-of-name.ts';

/** The rows that are looked at to tell what columns are. */
const sampleRows = 200;
/** Files of a logger whose rows may lack the last cell, a comment. */
const optionalComment = /^labview measurement/i;

/**
 * Finds out from the first part of a file how it is read; what is set stays as it is set. Without a column of times,
 * no column has the role `time`. Throws a TextFault.
 */
export async function openText(
  file: FileBytes,
  settings: TextSettings,
  pace: Pace = withoutPause,
): Promise<TextLayout> {
  const encoding = settings.encoding ?? guessEncoding(await readFirst(file));
  const text = await firstText(file, encoding);
  if (text.trim() === '') throw new TextFault(0, 'the file is empty: it has no header line');
  const isExported = settings.decimal !== ',' && isExport(text);
  const found = await findRows(text, isExported ? asExported(settings) : settings, pace);
  checkLines(found, settings);
  const { rows, separator, headerLine, unitsLine, dataLine } = found;
  const rowAt = (line: number): readonly string[] => found.cellsOf(line);
  const data = rows.filter((row) => row.line >= dataLine && !isComment(row)).slice(0, sampleRows);
  const above = linesOf(text).slice(0, Math.max(0, (headerLine || dataLine) - 1));
  const order = orderOf(data.flatMap(({ cells }) => cells.slice(0, 20)));
  const preamble = readPreamble(above, separator, order ?? orderOfPreamble(above));
  const written = headersOf(rowAt(headerLine), data);
  const raceCapture = raceCaptureHeaders(written);
  const headers = raceCapture?.map(({ name }) => name) ?? written;
  const units = raceCapture?.map(({ unit }) => unit) ?? (unitsLine === 0 ? undefined : rowAt(unitsLine));
  const given = {
    headerLine,
    headers,
    units,
    otherUnits: preamble.units,
    isExport: isExported,
  };
  const columnsAsNamed = vboColumns(nameColumns(given, settings), above);
  const named = isExported ? columnsAsNamed : measured(columnsAsNamed, data);
  const timeForm = settings.timeForm ?? (isVbo(above) ? 'hhmmss' : undefined);
  const time = await timeOf(named, data, { ...settings, timeForm }, { order, preamble }, pace);
  if (data.length === 0 && !time.columns.some(({ role }) => role === 'time'))
    throw new TextFault(headerLine, `there are no rows, only names: ${namesText(headers)}`);
  const columns = [...time.columns, ...(preamble.beacons.length > 0 ? [lapColumn(time.columns)] : [])];
  const lacksComment = optionalComment.test(text) && /^comment$/i.test(headers.at(-1) ?? '');
  const decimals = decimalOf(data, separator, settings.decimal ?? (isExported ? '.' : undefined));
  const { decimal } = decimals;
  const timeAt = time.columns.findIndex(({ role }) => role === 'time');
  return {
    encoding,
    separator,
    headerLine,
    unitsLine,
    unitCells: unitsLine === 0 ? [] : rowAt(unitsLine),
    dataLine,
    ...rowsLeftOut(rows, { ...found, decimal, timeForm: time.form, time: timeAt }),
    ...decimals,
    isDecimalSaid: settings.decimal !== undefined,
    columns,
    width: headers.length,
    fewestCells: headers.length - (lacksComment ? 1 : 0),
    timeForm: time.form,
    timeDoubt: time.doubt ?? unitOfSigrok(time, above, settings),
    dayOrder: time.dayOrder,
    start: time.start,
    isStartKnown: time.isStartKnown,
    startZone: time.startZone,
    zone: time.zone,
    isUtc: isVbo(above) || time.columns.some(isNamedUtc),
    isElapsed: time.isElapsed,
    beacons: preamble.beacons,
    missing: settings.missing ?? [],
    quotesSay: isExported || !isMostlyQuoted(data, time.columns),
    isStamped: isSerialMonitor(text),
    isExport: isExported,
    metadata: preamble.metadata,
    metadataNotes: preamble.metadataNotes,
  };
}

/** Throws a TextFault where names or units are said to stand in a line where nothing stands that could be them. */
function checkLines(found: FoundRows, settings: TextSettings): void {
  const { rows } = found;
  const { headerLine = 0, unitsLine = 0 } = settings;
  for (const [what, line] of [
    ['names', headerLine],
    ['units', unitsLine],
  ] as const) {
    if (line > 0 && !rows.some((row) => row.line === line))
      throw new TextFault(
        line,
        `there are no ${what} in this line, or it is not among the first of the file`,
      );
  }
  if (unitsLine > 0 && unitsLine === found.headerLine)
    throw new TextFault(unitsLine, 'a line cannot be that of the names and that of the units');
}

/** What is known of an export; what is set stays all the same. */
function asExported(settings: TextSettings): TextSettings {
  const { separator = ',', headerLine = 1, unitsLine = 0 } = settings;
  return { ...settings, separator, headerLine, unitsLine };
}

/** Dates of numbers above the table: month first where a clock is followed by AM or PM. */
function orderOfPreamble(lines: readonly string[]): DateOrder {
  const dates = lines.flatMap(
    (line) => line.match(/\d{1,2}([-/.])\d{1,2}\1\d{4}(?:\s+[\d:.]+\s?[AP]M)?/gi) ?? [],
  );
  return orderOf(dates) ?? 'day-first';
}

/** Names as far as there are columns: empty ones at the end have none. */
function headersOf(header: readonly string[], data: readonly DelimitedRow[]): string[] {
  const dataWidth = data.reduce((most, { cells }) => Math.max(most, filledWidth(cells)), 0);
  const width =
    filledWidth(header) === 0 ? dataWidth : Math.max(filledWidth(header), Math.min(dataWidth, header.length));
  return Array.from({ length: width }, (_, i) => header[i] ?? '');
}

function lapColumn(columns: readonly TextColumn[]): TextColumn {
  const isTaken = columns.some(({ name, role }) => role === 'tag' && name === 'LapNumber');
  return {
    header: 'Beacon Markers',
    name: 'LapNumber',
    unit: '',
    role: isTaken ? 'skip' : 'tag',
    divisor: 1,
    cellUnit: undefined,
    isQuoted: false,
  };
}

/** Where sigrok names its columns by channels, the time of unknown unit is called `Time`. */
function unitOfSigrok(
  { columns, form }: Timed,
  above: readonly string[],
  settings: TextSettings,
): TimeDoubt | undefined {
  const time = columns.find(({ role }) => role === 'time');
  const isSaid = settings.timeForm !== undefined || form !== 's' || time?.name !== 'Time' || time.unit !== '';
  if (isSaid || !above.some((line) => line.includes('generated by libsigrok'))) return undefined;
  return doubt(time.header, 'have no unit, which sigrok chooses by its sample rate', undefined).doubt;
}

/** Columns whose numbers have their unit behind them, such as `12 km/h`, with that unit. */
function measured(columns: readonly TextColumn[], data: readonly DelimitedRow[]): readonly TextColumn[] {
  return columns.map((column, i) => {
    if (column.role !== 'auto') return column;
    const cellUnit = unitOfCells(data, i);
    const isOther = column.unit !== '' && column.unit.toLowerCase() !== cellUnit?.toLowerCase();
    return cellUnit === undefined || isOther || isHemisphere(cellUnit, column.name)
      ? column
      : { ...column, unit: cellUnit, cellUnit };
  });
}

/** The share of cells in quotes from which on quotes say nothing. */
const mostQuoted = 0.8;
const plainNumber = /^\s*[-+]?\d+(?:[.,]\d*)?\s*$/;

/** Whether quotes stand round nearly everything, or round times that are numbers. */
function isMostlyQuoted(data: readonly DelimitedRow[], columns: readonly TextColumn[]): boolean {
  const time = columns.findIndex(({ role }) => role === 'time');
  let cells = 0;
  let inQuotes = 0;
  let numbersInQuotes = 0;
  for (const row of data) {
    for (const [i, cell] of row.cells.entries()) {
      if (cell.trim() === '') continue;
      cells++;
      if (row.quoted[i] !== true) continue;
      inQuotes++;
      if (i === time && plainNumber.test(cell)) numbersInQuotes++;
    }
  }
  return (cells > 0 && inQuotes >= cells * mostQuoted) || numbersInQuotes > data.length / 2;
}

interface Timed {
  readonly columns: readonly TextColumn[];
  readonly form: TimeForm;
  readonly doubt: TimeDoubt | undefined;
  readonly dayOrder: DayForm | undefined;
  readonly start: bigint;
  readonly isStartKnown: boolean;
  readonly startZone: string | undefined;
  readonly zone: string | undefined;
  readonly isElapsed: boolean;
}

function isNamedUtc({ role, header }: TextColumn): boolean {
  return (role === 'time' || role === 'day') && zoneOfName(header) === 'utc';
}

async function timeOf(
  named: readonly TextColumn[],
  data: readonly DelimitedRow[],
  settings: TextSettings,
  { order, preamble }: { readonly order: DateOrder | undefined; readonly preamble: Preamble },
  pace: Pace,
): Promise<Timed> {
  const sampled = named.map((column, i) => ({ column, cells: data.map(({ cells }) => cells[i] ?? '') }));
  const found = await findTime(sampled, settings, order, pace);
  if (found === undefined)
    return {
      columns: named,
      form: settings.timeForm ?? 's',
      doubt: undefined,
      dayOrder: undefined,
      start: settings.start ?? 0n,
      isStartKnown: true,
      startZone: undefined,
      zone: undefined,
      isElapsed: true,
    };
  const columns = named.map((column, i): TextColumn => {
    if (i === found.at) return { ...column, role: 'time' };
    return i === found.day ? { ...column, role: 'day' } : column;
  });
  const { form, dayOrder, doubt } = found;
  const cells = sampled[found.at]!.cells;
  const isAbsolute =
    isDate(form) ||
    isFrom1970(form, cells) ||
    found.day >= 0 ||
    (columns[found.at]!.header === timestampName && form === 'ns');
  const { day, offset = 0n } = preamble;
  const isOfDay =
    form === 'hhmmss' ||
    (form === 'clock' &&
      durationOf(cells[0] ?? '') === undefined &&
      (clockOf(cells[0] ?? '') ?? 0n) >= nsOfDay / 1440n);
  const isGuessed = !isAbsolute && day !== undefined;
  const guessed = isGuessed ? day + (isOfDay ? 0n : (preamble.clock ?? 0n)) - offset : 0n;
  return {
    columns,
    form,
    doubt,
    dayOrder,
    start: settings.start ?? guessed,
    isStartKnown: isAbsolute || day !== undefined || settings.start !== undefined,
    startZone: isGuessed && settings.start === undefined ? startZone(preamble, isOfDay) : undefined,
    zone: isDate(form) || found.day >= 0 ? zoneOfColumns(columns) : undefined,
    isElapsed: !isAbsolute && !isOfDay,
  };
}

function startZone({ offset }: Preamble, isOfDay: boolean): string | undefined {
  if (offset === undefined) return 'the start above the table names no zone, taken for UTC';
  return isOfDay && offset !== 0n
    ? 'clocks are taken to be of the zone of the start above the table'
    : undefined;
}

function decimalOf(
  data: readonly DelimitedRow[],
  separator: Separator,
  decimal: TextSettings['decimal'],
): Pick<TextLayout, 'decimal' | 'isDecimalKnown'> {
  if (decimal !== undefined) return { decimal, isDecimalKnown: true };
  const seen = decimalsSeen();
  for (const { cells } of data) for (const cell of cells.slice(0, 200)) seen.see(cell);
  return { decimal: seen.decimal(separator) ?? '.', isDecimalKnown: seen.any() };
}
