import { isVanished } from '../../domain/vanished-number.ts';
import type { DelimitedRow } from './delimited.ts';
import { type CellKind, cellKind, numberOf, type TextReason, textReason } from './map-rows.ts';
import type { FoundCell, FoundCells, TextLayout } from './text-layout.ts';

/** What the cells of a column are, over the whole file. */
export interface ColumnFacts {
  readonly counts: Readonly<Record<CellKind, number>>;
  /** The first cells. */
  readonly sample: readonly string[];
  /** The first cell that is text, and why; one that is meant so before others. */
  readonly text: (FoundCell & { readonly reason: TextReason }) | undefined;
  /** Whether all its texts stand in quotes, and quotes say so. */
  readonly isQuoted: boolean;
  /** The first cell that is true or false, a number then. */
  readonly boolean: FoundCell | undefined;
  /** The first word that stands for no value. */
  readonly missing: FoundCell | undefined;
  /** The numbers that are nearer to 0 than any double, which are 0 then. */
  readonly vanished: FoundCells | undefined;
}

const sampleCells = 5;

export interface Growing {
  counts: Record<CellKind, number>;
  sample: string[];
  text: ColumnFacts['text'];
  isQuoted: boolean;
  boolean: FoundCell | undefined;
  missing: FoundCell | undefined;
  vanished: FoundCells | undefined;
}

export function newFacts(): Growing {
  return {
    counts: { number: 0, text: 0, missing: 0, empty: 0 },
    sample: [],
    text: undefined,
    isQuoted: false,
    boolean: undefined,
    missing: undefined,
    vanished: undefined,
  };
}

/** With one more of what was found, which begins in this line. */
export function counted(found: FoundCells | undefined, line: number, cell: string): FoundCells {
  return found === undefined
    ? { count: 1, first: { line, cell: cell.slice(0, 100) } }
    : { ...found, count: found.count + 1 };
}

const booleanForm = /^\s*[tf]/i;
/** Only a number with such an exponent, or with very many digits, may be too small for a double. */
const smallForm = /[ed][-\u2013\u2212]\d{3}/i;
const manyDigits = 100;

/** Takes the cell of a column into account. */
export function see(facts: Growing, row: DelimitedRow, i: number, layout: TextLayout): void {
  const kind = cellKind(row, i, layout);
  facts.counts[kind]++;
  const cell = row.cells[i] ?? '';
  if (facts.sample.length < sampleCells) facts.sample.push(cell.slice(0, 100));
  if (kind === 'missing') facts.missing ??= { line: row.line, cell: cell.slice(0, 100) };
  const isSmall = kind === 'number' && (cell.length > manyDigits || smallForm.test(cell));
  if (isSmall && isVanished(cell.trim(), numberOf(cell.trim(), layout.columns[i]?.cellUnit, layout)!))
    facts.vanished = counted(facts.vanished, row.line, cell);
  // Most numbers begin with a digit or a sign, which stand before letters.
  const isWord = kind === 'number' && !(cell.charCodeAt(0) <= 57 && cell.charCodeAt(0) > 32);
  if (isWord && facts.boolean === undefined && booleanForm.test(cell))
    facts.boolean = { line: row.line, cell };
  if (kind !== 'text') return;
  const isInQuotes = layout.quotesSay && row.quoted[i] === true;
  facts.isQuoted = isInQuotes && (facts.isQuoted || facts.counts.text === 1);
  if (facts.text !== undefined && facts.text.reason !== 'no number') return;
  const reason = textReason(row, i, layout);
  if (facts.text === undefined || reason !== 'no number')
    facts.text = { line: row.line, cell: cell.slice(0, 100), reason };
}

/** Whether a column is text: one of its texts is meant so, or it has no more numbers than texts. */
export function isText({ counts, text }: ColumnFacts): boolean {
  return text !== undefined && (text.reason !== 'no number' || counts.text >= counts.number);
}
