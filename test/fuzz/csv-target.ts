import { isUtf8 } from 'node:buffer';
import { openTextTable } from '../../src/cli/import/open-text-table.ts';
import { delimitedParser } from '../../src/import/text/delimited.ts';
import { TextFault } from '../../src/import/text/text-layout.ts';
import { csvCorpus } from './corpus.ts';
import { mutate } from './mutate.ts';
import type { Random } from './random.ts';
import { createTableFile, importOptions, readTable, type TableFile } from './table-file.ts';
import type { Target } from './target.ts';

const words = [
  ',',
  '"',
  '""',
  '\n',
  '\r',
  '\r\n',
  '\ufeff',
  '1e400',
  'NaN',
  '-0',
  'Timestamp',
  'TAG__',
  ' ',
  '0x1',
].map((word) => Buffer.from(word));

let file: TableFile;

/** A table of CSV is read as RFC 4180 says, or refused; what the import makes of it is JSON. */
export const csvTarget: Target = {
  name: 'csv',
  short: 300,
  async open() {
    file = createTableFile('table.csv');
    return file.close;
  },
  make(random) {
    const corpus = csvCorpus();
    const table = random.once(2) ? Buffer.from(tableText(random)) : random.pick(corpus);
    return random.once(3) ? Buffer.from(table) : mutate(table, random, words, corpus);
  },
  async check(input) {
    file.write(input);
    const expected = isUtf8(input) ? plainCells(input.toString()) : undefined;
    const found = cellsOf(new TextDecoder().decode(input));
    if (expected !== undefined && JSON.stringify(found) !== JSON.stringify(expected))
      throw new Error(`reads ${JSON.stringify(found)}, not ${JSON.stringify(expected)}`);
    await readTable(openTextTable(file.path, {}, importOptions));
  },
};

function cellsOf(text: string): (readonly string[])[] | undefined {
  const parser = delimitedParser(',');
  try {
    // A row in two pieces is the same row.
    const half = text.length >> 1;
    const rows = [...parser.push(text.slice(0, half)), ...parser.push(text.slice(half)), ...parser.end()];
    return rows.map(({ cells, quoted }) => {
      if (cells.length !== quoted.length)
        throw new Error(`knows quotes of ${quoted.length} of ${cells.length} cells`);
      return cells;
    });
  } catch (error) {
    if (error instanceof TextFault) return undefined;
    throw error;
  }
}

/** The cells by the grammar of RFC 4180, with lines that end in LF, CR LF or CR; undefined for what it does not know, which others read in their own ways. */
function plainCells(text: string): string[][] | undefined {
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n?|\n|$)/y;
  const rows: string[][] = [];
  let row: string[] = [];
  cell.lastIndex = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  while (cell.lastIndex < text.length || row.length > 0) {
    const start = cell.lastIndex;
    const match = cell.exec(text);
    if (match === null) return undefined;
    const [whole, quoted, plain, end] = match;
    row.push(quoted?.replaceAll('""', '"') ?? plain!);
    if (end === ',') continue;
    // Empty lines are left out.
    if (row.length > 1 || whole.length > end!.length) rows.push(row);
    row = [];
    if (cell.lastIndex === start) break;
  }
  return rows;
}

function tableText(random: Random): string {
  const columns = 1 + random.below(4);
  const header = [
    'Timestamp',
    ...Array.from({ length: columns }, (_, i) => random.pick(['a', 'TAG__a', 'b (string)']) + i),
  ];
  const rows = Array.from({ length: random.below(5) }, (_, row) => [
    String(row * 1000 - 1),
    ...Array.from({ length: columns }, () => random.pick(cells)),
  ]);
  const end = random.pick(['\n', '\r\n']);
  return [header, ...rows].map((row) => row.map((cell) => spelt(cell, random)).join(',')).join(end);
}

const cells = [
  '',
  '1',
  '-0',
  '2.50',
  '1e3',
  'NaN',
  'text',
  'a "b"',
  'x,y',
  'two\nlines',
  '9007199254740993',
  ' 1',
  'é',
];

function spelt(cell: string, random: Random): string {
  return /[",\r\n]/.test(cell) || random.once(6) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
