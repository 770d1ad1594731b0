import { isMissing } from './missing-values.ts';
import type { TextLayout, TimeForm } from './text-layout.ts';

const pointGroups = /^[-+]?[1-9]\d{0,2}(?:\.\d{3})+$/;
const commaGroups = /^[-+]?[1-9]\d{0,2}(?:,\d{3})+$/;
const hundreds = /^[-+]?[1-9]\d\d$/;
const thousands = /^[-+]?\d{4,}$/;

/** A whole number without its thousands marks, in a file of which somebody says what stands before decimals. */
export function withoutGroups(text: string, { decimal, isDecimalSaid }: TextLayout): string {
  if (!isDecimalSaid || !text.includes(decimal === '.' ? ',' : '.')) return text;
  return decimal === '.'
    ? commaGroups.test(text)
      ? text.replaceAll(',', '')
      : text
    : pointGroups.test(text)
      ? text.replaceAll('.', '')
      : text;
}

/** Forms of times that are numbers. */
const numberForms: readonly TimeForm[] = ['h', 'min', 's', 'ms', 'us', 'ns'];

/** A time that is a number, without its thousands marks. Points stay before decimals: programs write times so everywhere. */
export function timeWithoutGroups(text: string, layout: TextLayout): string {
  if (!layout.isDecimalSaid || layout.decimal !== '.' || !text.includes(',')) return text;
  return numberForms.includes(layout.timeForm) ? withoutGroups(text.trim(), layout) : text;
}

const pointDecimals = /^[-+]?\d*\.\d+(?:[eE][-+]?\d+)?$/;
const commaDecimals = /^[-+]?\d*,\d+(?:[eE][-+]?\d+)?$/;

/**
 * Finds columns whose cells may have marks of thousands, and would be read with decimals: `850`, `990`, `1,020`. Not where another
 * cell of the file has decimals behind the same sign, nor points between commas: those are what most programs write.
 */
export class GroupsWatch {
  readonly #columns: ColumnGroups[] = [];

  constructor(layout: TextLayout) {
    if (layout.isDecimalSaid || layout.isExport) return;
    for (let at = 0; at < layout.width; at++) {
      const { role, header } = layout.columns[at]!;
      const isTime = role === 'time' && numberForms.includes(layout.timeForm);
      if (role === 'auto' || isTime) this.#columns.push(new ColumnGroups(at, header, isTime, layout));
    }
  }

  see(cells: readonly string[], line: number): void {
    for (const column of this.#columns) if (!column.isPlain) column.see(cells[column.at] ?? '', line);
  }

  /**
   * The first cell that may be read in two ways.
   * @param isText whether the column of values at a place has turned out to be text
   */
  fault(isText: (at: number) => boolean): { readonly line: number; readonly message: string } | undefined {
    const hasDecimals = this.#columns.some((column) => column.hasDecimals);
    return this.#columns.flatMap((column) =>
      !column.isTime && isText(column.at) ? [] : (column.fault(hasDecimals) ?? []),
    )[0];
  }
}

class ColumnGroups {
  readonly at: number;
  readonly isTime: boolean;
  /** Whether a cell shows that the column has no marks of thousands. */
  isPlain = false;
  /** Whether a cell has decimals and can be nothing else. */
  hasDecimals = false;
  readonly #header: string;
  readonly #layout: TextLayout;
  #hasHundreds = false;
  #first: { readonly line: number; readonly text: string } | undefined;

  constructor(at: number, header: string, isTime: boolean, layout: TextLayout) {
    this.at = at;
    this.#header = header;
    this.isTime = isTime;
    this.#layout = layout;
  }

  see(cell: string, line: number): void {
    const text = cell.trim();
    if (!text.includes('.') && !text.includes(',')) {
      this.#hasHundreds ||= hundreds.test(text);
      this.isPlain = thousands.test(text);
    } else if (commaGroups.test(text) || pointGroups.test(text)) this.#first ??= { line, text };
    else {
      const { decimal, missing } = this.#layout;
      this.isPlain = /\d/.test(text) && !isMissing(text, missing);
      this.hasDecimals = (decimal === '.' ? pointDecimals : commaDecimals).test(text);
    }
  }

  /** @param hasDecimals whether some column has */
  fault(hasDecimals: boolean): { readonly line: number; readonly message: string } | undefined {
    if (this.isPlain || this.#first === undefined) return undefined;
    const { line, text } = this.#first;
    const { decimal, isDecimalKnown, separator } = this.#layout;
    const isDecimal = text.includes(decimal);
    if (isDecimal && (hasDecimals || (decimal === '.' && separator === ','))) return undefined;
    const isOtherSign = this.isTime && !isDecimal && decimal === '.' && isDecimalKnown;
    // Between commas it stands in quotes, as programs write thousands.
    const isQuoted = isDecimal && separator === ',';
    if (!isOtherSign && !isQuoted && !(this.#hasHundreds && (isDecimal || this.isTime))) return undefined;
    const whole = text.replaceAll(/[.,]/g, '');
    const message = `column ${this.#header}: '${text}' may be ${whole} or ${text.replace(',', '.')}: --decimal says whether a point or a comma stands before decimals`;
    return { line, message };
  }
}
