import { isMissing } from './missing-values.ts';
import { isUnit } from './units.ts';

/**
 * `nan(ind)`, `-nan` (C), and those of older C of Microsoft, which rounds the letters as if they were digits where it writes
 * few decimals: `-1.#IND`, `1.#QNAN00`, `1.#QO`, `1.#INF`, `1.#J`. With a minus `-1.#J` may be both, so that it is none.
 */
const nanForm = /^[-+]?(?:nan(?:\(\w*\))?|1[.,]#(?:ind0*|[qs]nan0*|[qs]nb|[qs]o|r|t)(?:e[-+]\d+)?)$/i;
const infinityForm = /^(?:([-+]?)(?:inf|infinity|∞|1[.,]#inf0*(?:e[-+]\d+)?)|\+?1[.,]#(?:io|j))$/i;
const booleans: ReadonlyMap<string, number> = new Map([
  ['true', 1],
  ['false', 0],
]);
/** Of Fortran: `1.0D+02`. */
const fortranForm = /^([-+]?(?:\d+(?:[.,]\d*)?|[.,]\d+))[dD]([-+]?\d{1,3})$/;
/** Minus of typography, and a plus. */
const otherMinus = /^[\u2212\u2013\ufe63\uff0d](?=[\d.,])/;
/** Thousands with a space of any width, or an apostrophe between them. */
const groupsForm = /^[-+]?\d{1,3}(?:([ \u00a0\u2009\u202f'’])\d{3})(?:\1\d{3})*(?:[.,]\d*)?$/;

const longest = 60;

/** What is no number by its digits alone, spelled: a boolean is 1 or 0. */
export function spelledNumber(text: string): number | undefined {
  if (text.length > longest) return undefined;
  if (nanForm.test(text)) return Number.NaN;
  const infinity = infinityForm.exec(text);
  if (infinity !== null) return infinity[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  return text.length > 5 ? undefined : booleans.get(text.toLowerCase());
}

/** A number of other conventions as a plain one; undefined for other text. */
export function plainDigits(text: string): string | undefined {
  if (text.length > longest) return undefined;
  const signed = otherMinus.test(text) ? `-${text.slice(1)}` : text;
  const fortran = fortranForm.exec(signed);
  if (fortran !== null) return `${fortran[1]}e${fortran[2]}`;
  if (groupsForm.test(signed)) return signed.replaceAll(/[ \u00a0\u2009\u202f'’]/g, '');
  return signed === text ? undefined : signed;
}

const measureForm =
  /^([-+\u2212]?[\d.,'’ \u00a0\u2009\u202f]*\d[.,]?(?:[eE][-+]?\d{1,3})?)(\s*)([^\s\d].{0,14})$/u;
/** Units that may follow a digit at once though they have one letter. */
const closeUnits = /^[%°VAWNms]$/;

/** A number with its unit, as in `12 km/h` and `12%`; undefined for what is none of those that are known. */
export function measureOf(text: string): { readonly number: string; readonly unit: string } | undefined {
  if (text.length > longest) return undefined;
  const [, number, space, unit] = measureForm.exec(text) ?? [];
  if (number === undefined || unit === undefined || !isUnit(unit)) return undefined;
  return unit.length === 1 && space === '' && !closeUnits.test(unit) ? undefined : { number, unit };
}

const bareNumber = /^\s*[-+]?[\d.,]+\s*$/;

/** The unit that most cells of a column have behind their numbers. */
export function unitOfCells(
  rows: readonly { readonly cells: readonly string[] }[],
  at: number,
): string | undefined {
  let counts: Map<string, number> | undefined;
  let filled = 0;
  for (const { cells } of rows) {
    const cell = cells[at] ?? '';
    if (bareNumber.test(cell)) {
      filled++;
      continue;
    }
    const text = cell.trim();
    if (text === '' || isMissing(text)) continue;
    filled++;
    const unit = measureOf(text)?.unit;
    if (unit === undefined) continue;
    counts ??= new Map();
    counts.set(unit, (counts.get(unit) ?? 0) + 1);
  }
  return counts && [...counts].find(([, count]) => count >= filled * 0.6)?.[0];
}

const degreesForm =
  /^(?:gps|gnss|pos|position)?[ _.-]*(?:lat|latitude|lon|lng|long|longitude|breitengrad|längengrad)[ _.-]*(?:deg|degrees|dd|gps)?$/i;

/** Whether the letter behind numbers is a half of the globe, in a column of latitudes or longitudes. */
export function isHemisphere(letter: string, name: string): boolean {
  return /^[nsew]$/i.test(letter) && degreesForm.test(name);
}

/** The number of a cell with a unit behind it; undefined where it has another one, or none. */
export function withoutUnit(text: string, unit: string): string | undefined {
  return text.endsWith(unit) ? text.slice(0, -unit.length).trimEnd() : undefined;
}
