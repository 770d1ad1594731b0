import { type Separator, TextFault } from './text-layout.ts';

/** A row of a text file with separators (RFC 4180), and the line that it begins on, from 1. */
export interface DelimitedRow {
  readonly line: number;
  readonly cells: readonly string[];
  /** Whether each cell stands in quotes. */
  readonly quoted: readonly boolean[];
}

/**
 * Takes the text of a file piece by piece and gives the rows that each piece completes. Empty lines are no rows. A line ends in LF, CR LF or
 * CR, also where a file mixes them, as editors count lines; in quotes all of these are text.
 */
export interface DelimitedParser {
  push(text: string): DelimitedRow[];
  /** The row that no line break ends, if there is one. Throws a TextFault inside of quotes. */
  end(): DelimitedRow[];
}

/** The longest row, in UTF-16 units: a quote that nothing closes would take the whole file into memory. */
const longestRow = 16 << 20;
const mostCells = 200_000;

/** The letters of a slice: they are parsed in about a millisecond. */
const sliceLetters = 32 << 10;

/** A text in pieces that are parsed one after the other, with pauses between them. */
export function* textSlices(text: string): Generator<string> {
  for (let at = 0; at < text.length; at += sliceLetters) yield text.slice(at, at + sliceLetters);
}

export function delimitedParser(separator: Separator): DelimitedParser {
  let cells: string[] = [];
  let quoted: boolean[] = [];
  let cell = '';
  let isQuoted = false;
  let line = 1;
  let rowLine = 1;
  let length = 0;
  /** The letter before was a carriage return, which a line feed belongs to. */
  let isBehindReturn = false;
  /** Outside of quotes, inside, or behind a quote that may be the first of two. */
  let state: 'plain' | 'quoted' | 'behind' = 'plain';
  let rows: DelimitedRow[] = [];

  const endCell = (): void => {
    // Any number of spaces is one separator.
    if (separator !== ' ' || cell !== '' || isQuoted) {
      cells.push(cell);
      quoted.push(isQuoted);
    }
    if (cells.length > mostCells) throw new TextFault(rowLine, `there are more than ${mostCells} cells`);
    cell = '';
    isQuoted = false;
  };
  const endRow = (): void => {
    if (cells.length > 0 || cell !== '' || isQuoted) {
      endCell();
      if (cells.length > 0) rows.push({ line: rowLine, cells, quoted });
    }
    cells = [];
    quoted = [];
    rowLine = line;
    length = 0;
  };

  /** Takes what runs from a place up to the next mark that means something; gives the place behind it. */
  const take = (text: string, from: number, marks: RegExp): number => {
    marks.lastIndex = from;
    const to = marks.exec(text)?.index ?? text.length;
    cell += text.slice(from, to);
    length += to - from;
    if (length > longestRow) {
      const why = state === 'quoted' ? '; a quote is opened and not closed' : '';
      throw new TextFault(rowLine, `the row has more than ${longestRow} letters${why}`);
    }
    return to;
  };
  const inQuotes = /["\r\n]/g;
  const outside = new RegExp(`["\\r\\n${separator === '\t' ? '\\t' : separator}]`, 'g');

  const push = (text: string): DelimitedRow[] => {
    let at = 0;
    while (at < text.length) {
      if (state === 'behind') {
        state = 'plain';
        if (text[at] === '"') {
          cell += '"';
          state = 'quoted';
          at++;
          continue;
        }
      }
      const from = at;
      at = take(text, at, state === 'quoted' ? inQuotes : outside);
      if (at > from) isBehindReturn = false;
      if (at >= text.length) break;
      const mark = text[at++]!;
      const isSecond = mark === '\n' && isBehindReturn;
      const isBreak = mark === '\r' || (mark === '\n' && !isSecond);
      isBehindReturn = mark === '\r';
      if (isBreak) line++;
      if (state === 'quoted') {
        if (mark === '"') state = 'behind';
        else cell += mark;
      } else if (mark === '"' && cell === '' && !isQuoted) {
        state = 'quoted';
        isQuoted = true;
      } else if (mark === '"') cell += mark;
      else if (isBreak) endRow();
      else if (!isSecond) endCell();
    }
    const complete = rows;
    rows = [];
    return complete;
  };

  return {
    push,
    end() {
      if (state === 'quoted') throw new TextFault(rowLine, 'a quote is opened and never closed');
      endRow();
      const last = rows;
      rows = [];
      return last;
    },
  };
}
