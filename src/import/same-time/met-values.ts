/** A cell as a reader gives it. In rows that are JSON already all cells are texts. */
export type MetCell = number | string | null;

/** How the cells of a row are compared. */
export interface CellForm {
  /** The columns that are channels. */
  readonly channels: readonly number[];
  /** Whether cells are the JSON of values; `null` stands for none. */
  readonly isJson: boolean;
}

export function isNone(cell: MetCell | undefined, { isJson }: CellForm): boolean {
  return cell === null || cell === undefined || (isJson && cell === 'null');
}

/** Whether a row has a value of any channel: others are not stored. */
export function hasValue(cells: readonly MetCell[], form: CellForm): boolean {
  for (const at of form.channels) if (!isNone(cells[at], form)) return true;
  return false;
}

/** Whether two cells are one value: numbers may have other digits. */
export function isSame(one: MetCell, other: MetCell, { isJson }: CellForm): boolean {
  if (Object.is(one, other)) return true;
  if (!isJson || typeof one !== 'string' || typeof other !== 'string') return false;
  return !one.startsWith('"') && !other.startsWith('"') && Object.is(Number(one), Number(other));
}

const prime = 0x01000193;

/** A hash of the values of a row, 32 bits: equal for rows whose channels have the same values. */
export function hashOf(cells: readonly MetCell[], form: CellForm): number {
  let hash = 0x811c9dc5;
  for (const at of form.channels) {
    const cell = cells[at]!;
    if (isNone(cell, form)) continue;
    hash = Math.imul(hash ^ at, prime);
    const isNumber = typeof cell === 'number' || (form.isJson && !(cell as string).startsWith('"'));
    hash = isNumber ? hashNumber(hash, Number(cell)) : hashText(hash, String(cell));
  }
  return hash >>> 0;
}

const double = new Float64Array(1);
const halves = new Uint32Array(double.buffer);

function hashNumber(hash: number, value: number): number {
  double[0] = value;
  return Math.imul(Math.imul(hash ^ halves[0]!, prime) ^ halves[1]!, prime);
}

function hashText(begun: number, text: string): number {
  let hash = begun;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), prime);
  return hash;
}
