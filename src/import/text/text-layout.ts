import type { DayForm } from './compact-times.ts';

/** How the bytes of a text file stand for letters. */
export type TextEncoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';

/** What stands between cells; any number of spaces is one. */
export type Separator = ',' | ';' | '\t' | ' ';

/**
 * How a column says the time: a date (year first or with the name of the month; or day or month first where it has
 * numbers only), a clock (`14:03:10.5`, or without colons), days since 1899-12-30 as spreadsheets count, or a number
 * since a start in a unit. Clocks and numbers are added to the start.
 */
export type TimeForm =
  | 'iso'
  | 'day-first'
  | 'month-first'
  | 'clock'
  | 'hhmmss'
  | 'excel'
  | 'h'
  | 'min'
  | 's'
  | 'ms'
  | 'us'
  | 'ns';

/** Why the form of times is no more than a proposal, which somebody must confirm (`timeForm`) before rows are taken. */
export interface TimeDoubt {
  readonly message: string;
  /** Undefined where nothing is likely. */
  readonly proposed: TimeForm | undefined;
}

/**
 * What a column becomes. `auto` is numbers if its cells are (see `settleColumns`), else text, and left out where it is
 * empty. The day is that of a time which is a clock. Stream and topic say of each row where it goes.
 */
export type ColumnRole =
  | 'time'
  | 'day'
  | 'auto'
  | 'number'
  | 'text'
  | 'binary'
  | 'tag'
  | 'stream'
  | 'topic'
  | 'skip';

export interface TextColumn {
  /** As the file has it; where two have one name, and where there is none, with one of its own. */
  readonly header: string;
  /** The name in the file, where the header is another one. */
  readonly written?: string;
  /** Of the parameter or the tag. */
  readonly name: string;
  /** Empty where it has none. */
  readonly unit: string;
  readonly role: ColumnRole;
  /** Numbers of the file are so many times larger than those of the unit. */
  readonly divisor: number;
  /** The unit that stands behind each number of the file. */
  readonly cellUnit: string | undefined;
  /** Whether all its texts stand in quotes, so that what stands for no value outside of them is none. */
  readonly isQuoted: boolean;
}

/** A cell, or the beginning of a row, and its line. */
export interface FoundCell {
  readonly line: number;
  readonly cell: string;
}

/** What a file has that was not taken as it stands: how often, and the first. */
export interface FoundCells {
  readonly count: number;
  readonly first: FoundCell;
}

/** What is said of a file; the rest is guessed. */
export interface TextSettings {
  readonly encoding?: TextEncoding | undefined;
  readonly separator?: Separator | undefined;
  /** Lines from 1; 0 where there is none. */
  readonly headerLine?: number | undefined;
  readonly unitsLine?: number | undefined;
  readonly decimal?: '.' | ',' | undefined;
  /** The column with the time, by its header. */
  readonly time?: string | undefined;
  readonly timeForm?: TimeForm | undefined;
  /** ns since the Unix epoch. */
  readonly start?: bigint | undefined;
  /** Columns that are tags, by their headers: without it they are guessed. */
  readonly tags?: readonly string[] | undefined;
  /** Columns of base64. */
  readonly binaries?: readonly string[] | undefined;
  /** Columns that are text, also where most of their cells are numbers. */
  readonly texts?: readonly string[] | undefined;
  /** Columns that are left out. */
  readonly skip?: readonly string[] | undefined;
  /** Cells that stand for no value, besides those that loggers usually write. */
  readonly missing?: readonly string[] | undefined;
}

/** How a text file is read. */
export interface TextLayout {
  readonly encoding: TextEncoding;
  readonly separator: Separator;
  /** Lines from 1; 0 where there is none. */
  readonly headerLine: number;
  readonly unitsLine: number;
  /** The cells of that line of units. */
  readonly unitCells: readonly string[];
  /** The line that the first row begins on. */
  readonly dataLine: number;
  /** Rows above the table, which are left out. */
  readonly rowsAbove: FoundCells | undefined;
  /** Rows between the names and the first row, such as types of columns, which are left out. */
  readonly rowsBetween: FoundCells | undefined;
  readonly decimal: '.' | ',';
  /** Whether that is set, or the first rows tell it: they may have whole numbers only. */
  readonly isDecimalKnown: boolean;
  /** Whether somebody says it: the other sign stands between thousands then. */
  readonly isDecimalSaid: boolean;
  /** Those of the file in its order; behind them, where the file has beacons, the tag of laps. */
  readonly columns: readonly TextColumn[];
  /** So many columns have cells in the file. */
  readonly width: number;
  /** A row has so many cells at least. */
  readonly fewestCells: number;
  readonly timeForm: TimeForm;
  /** What keeps the form from being used as it was guessed. */
  readonly timeDoubt: TimeDoubt | undefined;
  /** How the days are written in a column with the days of clocks; undefined where they say so themselves. */
  readonly dayOrder: DayForm | undefined;
  /** Added to clocks and numbers, ns since the Unix epoch. */
  readonly start: bigint;
  /** Whether the file or somebody says the start, where times need one. */
  readonly isStartKnown: boolean;
  /** What was taken for granted of the zone of a start that the file says; undefined where nothing was. */
  readonly startZone: string | undefined;
  /** Of clocks that say none themselves: the one in the name of their column, or its unit; undefined where it has none. */
  readonly zone: string | undefined;
  /** Whether the names of times, or the format of the file, say that clocks are UTC. */
  readonly isUtc: boolean;
  /** Whether times count from the start of the recording; others are of a day, or whole. */
  readonly isElapsed: boolean;
  /** Ends of laps, ns after the start, in order. The first row is the start where times do not count from it. */
  readonly beacons: readonly bigint[];
  /** Cells that stand for no value, besides those that loggers usually write. */
  readonly missing: readonly string[];
  /** Whether quotes mark texts: where most cells stand in quotes, these say nothing. */
  readonly quotesSay: boolean;
  /** Whether each line begins with the stamp of a serial monitor. */
  readonly isStamped: boolean;
  /** Whether the file is an export of the service, whose names and texts are taken as they stand. */
  readonly isExport: boolean;
  /** What the file says of the recording. */
  readonly metadata: Readonly<Record<string, string>>;
  /** What of it has another name, or is left out. */
  readonly metadataNotes: readonly string[];
}

/** Whether times are clocks of a day that is the start. */
export function isTimeOfDay({ isElapsed, timeForm }: TextLayout): boolean {
  return !isElapsed && (timeForm === 'clock' || timeForm === 'hhmmss');
}

/** Cells may have anything in them: what would move a terminal's cursor is shown as a mark. */
export function plainText(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, '\ufffd');
}

const listedNames = 30;

/** Names with commas between; of very many the first. */
export function namesText(names: readonly string[]): string {
  const first = names.slice(0, listedNames).join(', ');
  return names.length > listedNames ? `${first} and ${names.length - listedNames} more` : first;
}

/** What keeps a text file from being read, with the line where it is. */
export class TextFault extends Error {
  readonly line: number;

  constructor(line: number, message: string) {
    const plain = plainText(message);
    super(line === 0 ? plain : `line ${line}: ${plain}`);
    this.name = 'TextFault';
    this.line = line;
  }
}
