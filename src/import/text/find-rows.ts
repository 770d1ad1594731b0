import { type Pace, withoutPause } from '../../turns/pace.ts';
import { bareCells, filledWidth, isMarked } from './comment-marks.ts';
import { clockOf, readMoment } from './dates.ts';
import { type DelimitedRow, delimitedParser, textSlices } from './delimited.ts';
import { isMissing } from './missing-values.ts';
import { measureOf, plainDigits, spelledNumber } from './odd-numbers.ts';
import { isSerialMonitor, namedStamps, separatorsBehindStamps, withoutStamp } from './serial-monitor.ts';
import { type Separator, TextFault, type TextSettings } from './text-layout.ts';
import { isUnitsRow } from './units.ts';

/** Where a file has what. Lines from 1; 0 where there is none. */
export interface FoundRows {
  readonly separator: Separator;
  readonly headerLine: number;
  readonly unitsLine: number;
  readonly dataLine: number;
  /** The first rows of the file. */
  readonly rows: readonly DelimitedRow[];
  /** The cells of a line above the table, without a mark of comments before them; none where no row begins in it. */
  cellsOf(line: number): readonly string[];
}

/** The rows, and columns of them, that are looked at. */
const lookedRows = 400;
const lookedColumns = 200;
const separators: readonly Separator[] = [';', '\t', ',', ' '];

/**
 * Finds the header, the units and the rows of a table in the first text of a file: rows follow each other whose cells
 * are of one kind; above them stand, perhaps with other lines between, units and names. What is set stays.
 */
export async function findRows(
  text: string,
  settings: TextSettings,
  pace: Pace = withoutPause,
): Promise<FoundRows> {
  const named = /^sep=([,;\t])[\r\n]/i.exec(text)?.[1] as Separator | undefined;
  const given = settings.separator ?? named;
  const tried: Tried[] = [];
  const possible = isSerialMonitor(text) ? separatorsBehindStamps(text, separators) : separators;
  for (const separator of given === undefined ? possible : [given])
    tried.push(await tryRows(text, separator, pace));
  const best = tried.reduce((one, other) => (other.score > one.score ? other : one));
  const fault = tried.find((one) => one.fault !== undefined)?.fault;
  if (best.score === 0 && fault !== undefined) throw fault;
  return place(best.score > 0 || given !== undefined ? best : plainest(tried), settings);
}

interface Tried {
  readonly separator: Separator;
  readonly rows: readonly DelimitedRow[];
  /** Of the row from which on rows are alike; -1 where there is none. */
  readonly first: number;
  readonly score: number;
  /** What kept the rest from being read. */
  readonly fault?: TextFault | undefined;
}

async function tryRows(text: string, separator: Separator, pace: Pace): Promise<Tried> {
  const { rows, fault } = await firstRows(text, separator, pace);
  const kinds: CellKind[][] = [];
  for (const { cells } of rows) {
    kinds.push(cells.slice(0, lookedColumns).map(kindOf));
    await pace();
  }
  for (const [first, kind] of kinds.entries()) {
    await pace();
    if (rows[first]!.cells.length < 2 || !kind.includes('value') || isMarked(rows[first]!.cells)) continue;
    let below = 0;
    let alike = 0;
    for (let i = first + 1; i < kinds.length; i++) {
      if (isMarked(rows[i]!.cells)) continue;
      below++;
      if (isAlike(kind, kinds[i]!)) alike++;
    }
    if (alike < below * 0.6) continue;
    const values =
      kind.filter((one) => one === 'value').length / kind.filter((one) => one !== 'empty').length;
    const width = rows[first]!.cells.length;
    const hasHeader = rows.slice(0, first).some(({ cells }) => Math.abs(filledWidth(cells) - width) <= 1);
    const share = below === 0 ? 1 : alike / below;
    const isPlain = separator !== ' ' || /^\[column names\]/im.test(text);
    return {
      separator,
      rows,
      first,
      score: share * (0.5 + values) * (hasHeader ? 2 : 1) * (isPlain ? 1 : 0.1),
    };
  }
  return { separator, rows, first: -1, score: 0, fault };
}

/** As many as are looked at: the rest of the text is not parsed. */
async function firstRows(
  text: string,
  separator: Separator,
  pace: Pace,
): Promise<Pick<Tried, 'rows' | 'fault'>> {
  const parser = delimitedParser(separator);
  const filled: DelimitedRow[] = [];
  let fault: TextFault | undefined;
  const isStamped = isSerialMonitor(text);
  const add = (rows: readonly DelimitedRow[]): void => {
    for (const row of isStamped ? rows.map(withoutStamp) : rows)
      if (row.cells.some((cell) => cell.trim() !== '')) filled.push(row);
  };
  try {
    for (const slice of textSlices(text)) {
      add(parser.push(slice));
      if (filled.length > lookedRows) break;
      await pace();
    }
  } catch (error) {
    // What is too long has another separator.
    if (!(error instanceof TextFault)) throw error;
    fault = error;
  }
  try {
    if (fault === undefined && filled.length <= lookedRows) add(parser.end());
  } catch {
    // A quote that is open where the first text ends is closed behind it.
  }
  const named = filled[0]?.cells.join('').toLowerCase().startsWith('sep=') === true ? 1 : 0;
  const rows = filled.slice(named, lookedRows);
  return { rows: isStamped ? namedStamps(rows) : rows, fault };
}

type CellKind = 'value' | 'text' | 'empty';

function kindOf(cell: string): CellKind {
  const text = cell.trim();
  if (text === '') return 'empty';
  if (/^[-+]?[.,]*\d[\d.,]*(?:[eE][-+]?\d+)?$/.test(text) || /^[-+]?(?:∞|nan|inf|infinity)$/i.test(text))
    return 'value';
  if (isMissing(text) || spelledNumber(text) !== undefined || plainDigits(text) !== undefined) return 'value';
  if (measureOf(text) !== undefined) return 'value';
  if (clockOf(text) !== undefined) return 'value';
  return (readMoment(text, 'day-first') ?? readMoment(text, 'month-first')) ? 'value' : 'text';
}

function isAlike(one: readonly CellKind[], other: readonly CellKind[]): boolean {
  const shorter = Math.min(one.length, other.length);
  const rest = [...one.slice(shorter), ...other.slice(shorter)].filter((kind) => kind !== 'empty');
  // One more may be a comment.
  if (rest.length > 1 || rest[0] === 'value' || (rest.length === 1 && shorter < 3)) return false;
  let compared = 0;
  let alike = 0;
  for (let i = 0; i < shorter; i++) {
    if (one[i] === 'empty' || other[i] === 'empty') continue;
    compared++;
    if (one[i] === other[i]) alike++;
  }
  return alike >= compared * 0.75;
}

/** Where no separator gives rows with values: the one that the first line has most of. */
function plainest(tried: readonly Tried[]): Tried {
  const cellsOf = ({ rows, separator }: Tried): number =>
    separator === ' ' ? 0 : (rows[0]?.cells.length ?? 0);
  const comma = tried.find(({ separator }) => separator === ',') ?? tried[0]!;
  return tried.reduce((best, other) => (cellsOf(other) > cellsOf(best) ? other : best), comma);
}

function place({ separator, rows, first }: Tried, settings: TextSettings): FoundRows {
  const lastLine = rows.at(-1)?.line ?? 0;
  const { headerLine, unitsLine } = settings;
  const guessed = first < 0 ? { header: rows.length > 0 ? 0 : -1, units: -1 } : rowsAbove(rows, first);
  const lineOf = (at: number): number => rows[at]?.line ?? 0;
  const header = headerLine ?? lineOf(guessed.header);
  const units = unitsLine ?? (lineOf(guessed.units) > header ? lineOf(guessed.units) : 0);
  const width = rows[first]?.cells.length ?? 2;
  const behind = Math.max(header, units);
  const isData = ({ line, cells }: DelimitedRow): boolean =>
    line > behind &&
    (header === 0
      ? line >= lineOf(first)
      : !isBetween(cells, width) && (first < 0 || line >= lineOf(first) || !isMarked(cells)));
  const dataLine = rows.find(isData)?.line ?? Math.max(lastLine, behind) + 1;
  const cellsOf = (line: number): readonly string[] =>
    bareCells(rows.find((row) => row.line === line)?.cells ?? [], width);
  return { separator, rows, cellsOf, headerLine: header, unitsLine: units, dataLine };
}

/** How far above the first row names are looked for. */
const mostAbove = 12;

function rowsAbove(rows: readonly DelimitedRow[], first: number): { header: number; units: number } {
  const width = rows[first]!.cells.length;
  let units = -1;
  for (let at = first - 1; at >= Math.max(0, first - mostAbove); at--) {
    const marked = rows[at]!.cells;
    if (isBetween(marked, width)) continue;
    const cells = bareCells(marked, width);
    // Other comments are sentences.
    if (isMarked(marked) && filledWidth(cells) !== width) continue;
    if (isUnitsRow(cells) && units < 0) {
      units = at;
      continue;
    }
    if (isNames(cells, width)) return firstOfNames(rows, { header: at, units });
  }
  if (units >= 0) return { header: units, units: -1 };
  const above = rows[first - 1]?.cells ?? [];
  return { header: above.length > 1 && !isMarked(above) ? first - 1 : -1, units: -1 };
}

/** Names that stand once more, as where a logger was switched on again, have rows above them. */
function firstOfNames(
  rows: readonly DelimitedRow[],
  found: { header: number; units: number },
): { header: number; units: number } {
  const names = rows[found.header]!.cells.join('\n');
  const header = rows.findIndex(({ cells }) => cells.join('\n') === names);
  if (header === found.header) return found;
  const below = rows[header + 1]!.cells;
  return { header, units: isUnitsRow(bareCells(below, below.length)) ? header + 1 : -1 };
}

/** Types of columns, such as `f8` and `double`. */
const typeForm = /^(?:[fiu]\d{1,2}|double|float(?:32|64)?|u?int(?:8|16|32|64)?|string|bool|boolean|char)$/i;

/** A row that stands between names and rows: a mark such as `[data]`, or types or sources of channels. */
function isBetween(cells: readonly string[], width: number): boolean {
  const filled = cells.filter((cell) => cell.trim() !== '');
  if (filled.length <= 1 && width > filled.length && !filled.some((cell) => kindOf(cell) === 'value')) {
    return filled.length === 0 || /^[[(*#-]/.test(filled[0]!.trim());
  }
  if (filled.every((cell) => typeForm.test(cell.trim()))) return true;
  const isSource = cells[0]?.trim() === '' && !filled.some((cell) => kindOf(cell) === 'value');
  return isSource && new Set(filled).size < filled.length && !isUnitsRow(cells);
}

function isNames(cells: readonly string[], width: number): boolean {
  if (Math.abs(filledWidth(cells) - width) > 1) return false;
  const filled = cells.map((cell) => cell.trim()).filter((cell) => cell !== '');
  const texts = filled.filter((cell) => kindOf(cell) === 'text').length;
  return filled.length >= Math.min(width, cells.length) * 0.6 && texts >= filled.length * 0.8;
}
