import { type Pace, withoutPause } from '../../turns/pace.ts';
import type { FileBytes } from '../file-bytes.ts';
import { type SeenTimes, type TimeKind, TimeWatch } from '../same-time/watch-times.ts';
import { isFinerThanNs, namesZone } from './cells.ts';
import { type ColumnFacts, counted, isText, newFacts, see } from './column-facts.ts';
import type { DayForm } from './compact-times.ts';
import { decimalsSeen } from './decimals.ts';
import { type DelimitedRow, delimitedParser, textSlices } from './delimited.ts';
import { textPieces } from './encoding.ts';
import { LastCells } from './last-cells.ts';
import { isComment, isFault, type RowFault, rowMapper } from './map-rows.ts';
import { withoutStamp } from './serial-monitor.ts';
import { StayingDays } from './staying-days.ts';
import type { ColumnRole, FoundCell, FoundCells, TextColumn, TextLayout, TimeForm } from './text-layout.ts';
import { GroupsWatch } from './thousands.ts';

/** What a whole file is under a layout. */
export interface TextSurvey {
  /** Rows without a fault. */
  readonly rows: number;
  readonly faults: number;
  /** The first of them. */
  readonly firstFaults: readonly RowFault[];
  readonly from: bigint | undefined;
  readonly to: bigint | undefined;
  /** Of the rows without a fault. */
  readonly times: SeenTimes;
  /** As its numbers say, where the first rows did not tell; undefined where these do not either. */
  readonly decimal: '.' | ',' | undefined;
  /** Comments among the rows, which are left out. */
  readonly comments: FoundCells | undefined;
  /** Names and units of columns that stand again among the rows, which are left out. */
  readonly namesAgain: FoundCells | undefined;
  /** The last row, where no line break ends it and its last cell is shorter than those of all others. */
  readonly unended: FoundCell | undefined;
  /** Times that had more digits than nanoseconds have, and were rounded. */
  readonly rounded: FoundCells | undefined;
  /** The first time that says nothing of a zone, where times are dates. */
  readonly local: FoundCell | undefined;
  /** The first day with a year of two digits. */
  readonly shortYear: FoundCell | undefined;
  /** Clocks that go back over midnight while the day beside them stays the same. */
  readonly dayStays: FoundCells | undefined;
  /** Aligned with the columns of the file. */
  readonly facts: readonly ColumnFacts[];
}

/** Some rows of a file, and how many of its bytes are read. */
export interface RowsPiece {
  readonly rows: readonly DelimitedRow[];
  readonly bytes: number;
  /** Whether they end with the file, and not with a line break. */
  readonly isUnended?: boolean;
}

/** The rows of a file, without what stands above them. Throws a TextFault. */
export async function* readRows(file: FileBytes, layout: TextLayout): AsyncGenerator<RowsPiece, void, void> {
  const parser = delimitedParser(layout.separator);
  const ofData = (all: DelimitedRow[]): DelimitedRow[] => {
    const rows = layout.isStamped ? all.map(withoutStamp) : all;
    return rows.length > 0 && rows[0]!.line < layout.dataLine
      ? rows.filter(({ line }) => line >= layout.dataLine)
      : rows;
  };
  for await (const { text, bytes } of textPieces(file, layout.encoding)) {
    for (const slice of textSlices(text)) yield { rows: ofData(parser.push(slice)), bytes };
  }
  yield { rows: ofData(parser.end()), bytes: file.size, isUnended: true };
}

const listedFaults = 100;

export interface SurveyOptions {
  readonly pace?: Pace;
  /** It ends at so many. */
  readonly mostFaults?: number;
  /** Columns that tell rows of one time apart; tags without it. */
  readonly apart?: readonly ColumnRole[];
}

/**
 * Looks at every row, so that what is wrong is known before the first one is written.
 * @param onBytes is told how far it is; what it throws ends the survey
 */
export async function surveyText(
  file: FileBytes,
  layout: TextLayout,
  onBytes: (bytes: number) => void,
  { pace = withoutPause, mostFaults = Number.POSITIVE_INFINITY, apart = ['tag'] }: SurveyOptions = {},
): Promise<TextSurvey> {
  const mapRow = rowMapper(layout);
  const { width, columns } = layout;
  const time = columns.findIndex(({ role }) => role === 'time');
  const tagsAt = columns.flatMap(({ role }, i) => (apart.includes(role) ? [i] : []));
  const watch = new TimeWatch({
    apart: tagsAt,
    streams: columns.flatMap(({ role }, i) => (role !== 'tag' && apart.includes(role) ? [i] : [])),
    kind: timeKind(layout),
  });
  const facts = columns.slice(0, width).map(newFacts);
  const firstFaults: RowFault[] = [];
  let rows = 0;
  let faults = 0;
  let from: bigint | undefined;
  let to: bigint | undefined;
  let comments: FoundCells | undefined;
  let namesAgain: FoundCells | undefined;
  let unended: FoundCell | undefined;
  let rounded: FoundCells | undefined;
  let local: FoundCell | undefined;
  let shortYear: FoundCell | undefined;
  const day = columns.findIndex(({ role }) => role === 'day');
  const mayBeLocal = !layout.isUtc && layout.zone === undefined && timeKind(layout) === 'moment';
  const hasShortYear = shortYears(layout);
  const staying = day < 0 ? undefined : new StayingDays();
  const decimals = decimalsSeen();
  const lastCells = new LastCells(layout.decimal);
  const groups = new GroupsWatch(layout);
  const unsure = layout.isDecimalKnown ? [] : columns.flatMap(({ role }, i) => (role === 'auto' ? [i] : []));
  const result = (): TextSurvey => {
    const decimal = decimals.decimal(layout.separator);
    const ofGroups = groups.fault((at) => isText(facts[at]!));
    if (ofGroups !== undefined) {
      faults++;
      firstFaults.unshift(ofGroups);
    }
    const found = { decimal, comments, namesAgain, unended, rounded, local, shortYear, facts };
    const dayStays = staying?.found;
    return { rows, faults, firstFaults, from, to, times: watch.end(), dayStays, ...found };
  };
  for await (const piece of readRows(file, layout)) {
    for (const read of piece.rows) {
      const pause = pace();
      if (pause !== undefined) await pause;
      const row = mapRow(read);
      if (row === undefined) {
        const text = read.cells.join(layout.separator);
        if (isComment(read)) comments = counted(comments, read.line, text);
        else if (read.cells.some((cell) => cell.trim() !== ''))
          namesAgain = counted(namesAgain, read.line, text);
        continue;
      }
      if (isFault(row)) {
        faults++;
        if (firstFaults.length < listedFaults) firstFaults.push(row);
        if (faults >= mostFaults) return result();
        continue;
      }
      for (let i = 0; i < facts.length; i++) see(facts[i]!, read, i, layout);
      for (const i of unsure) decimals.see(read.cells[i] ?? '');
      groups.see(read.cells, read.line);
      const timeCell = read.cells[time] ?? '';
      if (timeCell.length > 10 && isFinerThanNs(timeCell, layout.timeForm))
        rounded = counted(rounded, read.line, timeCell);
      if (mayBeLocal && local === undefined && !namesZone(timeCell, layout.timeForm))
        local = { line: read.line, cell: timeCell };
      const dayCell = day < 0 ? timeCell : (read.cells[day] ?? '');
      if (shortYear === undefined && hasShortYear?.test(dayCell) === true)
        shortYear = { line: read.line, cell: dayCell };
      staying?.see(row.time, `${dayCell} ${tagsAt.map((i) => row.cells[i]).join()}`, read.line, timeCell);
      rows++;
      if (from === undefined || row.time < from) from = row.time;
      if (to === undefined || row.time > to) to = row.time;
      watch.see(row.time, row.line, row.cells);
      if (piece.isUnended !== true) lastCells.see(read);
      else if (lastCells.isShorter(read))
        unended = { line: read.line, cell: read.cells.join(layout.separator).slice(0, 100) };
    }
    onBytes(piece.bytes);
  }
  return result();
}

const moments: readonly TimeForm[] = ['iso', 'day-first', 'month-first', 'excel'];

/** Of other numbers the size tells whether they count from a start. */
function timeKind({ columns, timeForm, isElapsed }: TextLayout): TimeKind | undefined {
  if (moments.includes(timeForm) || columns.some(({ role }) => role === 'day')) return 'moment';
  if (isElapsed) return 'elapsed';
  return timeForm === 'clock' || timeForm === 'hhmmss' ? 'clock' : undefined;
}

const shortYearForms: Readonly<Partial<Record<DayForm, RegExp>>> = {
  'day-first': /^\s*\d{1,2}([-/.])\d{1,2}\1\d\d(?!\d)/,
  'month-first': /^\s*\d{1,2}([-/.])\d{1,2}\1\d\d(?!\d)/,
  ...{ ddmmyy: /\d/, mmddyy: /\d/, yymmdd: /\d/ },
};

/** What days with a year of two digits look like; undefined where there can be none. */
function shortYears({ dayOrder, timeForm }: TextLayout): RegExp | undefined {
  return shortYearForms[dayOrder ?? (timeForm as DayForm)];
}

/**
 * Looks at every row, and settles the layout by them. Looks again where only later rows tell which sign stands before
 * decimals, that the file is no export, or that a column of numbers has cells that are none: those are faults.
 * @param onBytes as for `surveyText`
 */
export async function settleText(
  file: FileBytes,
  layout: TextLayout,
  onBytes: (bytes: number) => void,
  options: SurveyOptions = {},
): Promise<{ readonly survey: TextSurvey; readonly layout: TextLayout }> {
  const survey = await surveyText(file, layout, onBytes, options);
  const { decimal } = survey;
  if (decimal !== undefined && decimal !== layout.decimal)
    return settleText(file, { ...layout, decimal, isDecimalKnown: true }, onBytes, options);
  // An export has numbers or texts in a column: texts that may be taken for numbers stand in quotes.
  const isMixed = ({ counts }: ColumnFacts, i: number): boolean =>
    layout.columns[i]!.role === 'auto' && counts.number > 0 && counts.text > 0;
  if (layout.isExport && survey.facts.some(isMixed))
    return settleText(file, { ...layout, isExport: false }, onBytes, options);
  const settled = settleColumns(layout, survey);
  const isFaulty = settled.columns.some(
    ({ role }, i) =>
      role === 'number' && layout.columns[i]!.role === 'auto' && survey.facts[i]!.counts.text > 0,
  );
  return { survey: isFaulty ? await surveyText(file, settled, onBytes, options) : survey, layout: settled };
}

/**
 * The layout with what the cells of columns turned out to be. A column with more numbers than texts is numbers, so that
 * its texts are faults, unless one of them is meant as text.
 */
export function settleColumns(layout: TextLayout, { facts }: TextSurvey): TextLayout {
  const columns = layout.columns.map((column, i): TextColumn => {
    const fact = facts[i];
    if (column.role !== 'auto' || fact === undefined) return column;
    const { counts, isQuoted } = fact;
    if (isText(fact)) return { ...column, role: 'text', isQuoted };
    return { ...column, role: counts.number > 0 ? 'number' : 'skip' };
  });
  return { ...layout, columns };
}
