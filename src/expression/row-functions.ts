/** A function of the values of one row. */
export interface RowFunctionShape {
  /** The number of its operands. */
  readonly least: number;
  readonly most: number;
  /** As an error shows its operands: `x, low, high`. */
  readonly operands: string;
}

const one: RowFunctionShape = { least: 1, most: 1, operands: 'x' };
const several: RowFunctionShape = { least: 2, most: 32, operands: 'x, y, …' };

/** The functions of a row. Angles are in radians. */
export const rowFunctions = {
  abs: one,
  sqrt: one,
  exp: one,
  ln: one,
  log10: one,
  sin: one,
  cos: one,
  tan: one,
  asin: one,
  acos: one,
  atan: one,
  atan2: { least: 2, most: 2, operands: 'y, x' },
  floor: one,
  ceil: one,
  round: one,
  sign: one,
  min: several,
  max: several,
  clamp: { least: 3, most: 3, operands: 'x, low, high' },
  hypot: several,
} as const satisfies Record<string, RowFunctionShape>;

export type RowFunction = keyof typeof rowFunctions;
