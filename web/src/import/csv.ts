/** A row of a CSV file (RFC 4180), and the number of the line that it begins on, from 1. */
export interface CsvRow {
  readonly line: number;
  readonly cells: readonly string[];
}

/** Takes the text of a file piece by piece and gives the rows that each piece completes. Empty lines are no rows. */
export interface CsvParser {
  push(text: string): CsvRow[];
  /** The row that no line break ends, if there is one. Throws CsvFault inside of quotes. */
  end(): CsvRow[];
}

export class CsvFault extends Error {
  readonly line: number;

  constructor(line: number, message: string) {
    super(`line ${line}: ${message}`);
    this.name = 'CsvFault';
    this.line = line;
  }
}

export function csvParser(separator: string): CsvParser {
  let cells: string[] = [];
  let cell = '';
  let line = 1;
  let rowLine = 1;
  /** Outside of quotes, inside, or behind a quote that may be the first of two. */
  let state: 'plain' | 'quoted' | 'behind' = 'plain';
  let rows: CsvRow[] = [];

  const endRow = () => {
    if (cell.endsWith('\r')) cell = cell.slice(0, -1);
    if (cells.length > 0 || cell !== '') rows.push({ line: rowLine, cells: [...cells, cell] });
    cells = [];
    cell = '';
    rowLine = line;
  };

  /** Takes what runs from a place up to the next mark that means something; gives the place behind it. */
  const take = (text: string, from: number, marks: RegExp): number => {
    marks.lastIndex = from;
    const to = marks.exec(text)?.index ?? text.length;
    cell += text.slice(from, to);
    return to;
  };
  const inQuotes = /["\n]/g;
  const outside = new RegExp(`["\\n${separator === '\t' ? '\\t' : separator}]`, 'g');

  const push = (text: string): CsvRow[] => {
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
      at = take(text, at, state === 'quoted' ? inQuotes : outside);
      if (at >= text.length) break;
      const mark = text[at++]!;
      if (mark === '\n') line++;
      if (state === 'quoted') {
        if (mark === '"') state = 'behind';
        else cell += mark;
      } else if (mark === '"' && cell === '') state = 'quoted';
      else if (mark === '"') cell += mark;
      else if (mark === '\n') endRow();
      else {
        cells.push(cell);
        cell = '';
      }
    }
    const complete = rows;
    rows = [];
    return complete;
  };

  return {
    push,
    end() {
      if (state === 'quoted') throw new CsvFault(rowLine, 'a quote is opened and never closed');
      endRow();
      const last = rows;
      rows = [];
      return last;
    },
  };
}

/** Comma, semicolon or tab: whichever the first line has most of. */
export function separatorOf(text: string): string {
  const [first = ''] = text.split('\n', 1);
  const bare = first.replaceAll(/"[^"]*"/g, '');
  const counts = [',', ';', '\t'].map((mark) => [mark, bare.split(mark).length] as const);
  return counts.reduce((best, other) => (other[1] > best[1] ? other : best))[0];
}
