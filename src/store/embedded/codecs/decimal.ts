/**
 * Exact decimal scaling: doubles that are m / 10^exponent for whole numbers m, so that they can be packed as
 * integers. Below 2^51 the product `value * 10^exponent` is off by less than a half, so rounding finds m
 * wherever there is one; dividing again proves it. -0, NaN, the infinities and numbers with too many digits
 * have no m: a few of these among many others are kept apart as exceptions.
 */
export const maxExponent = 9;
export const powersOfTen: readonly number[] = Array.from({ length: maxExponent + 1 }, (_, e) => 10 ** e);

export interface Scaled {
  /** The smallest exponent under which every value that has an m at all has a whole one. */
  readonly exponent: number;
  /** m per value; a view of the values where these are whole. That of the value before where the value is an exception. */
  readonly mantissas: Float64Array;
  /** Indexes of the values that have no m, ascending. */
  readonly exceptions: readonly number[];
}

const mantissaLimit = 2 ** 51;
/** The number that rounds a double of magnitude up to 2^51 to a whole number when it is added and taken away. */
const rounder = 1.5 * 2 ** 52;
/** The values for each exception: one costs more than a raw double, so with more scaling is given up. */
const valuesPerException = 8;

/** Columns are scaled one after another: the memory is used again. */
let scratch = new Float64Array(128);

/**
 * Scales the first `count` values; undefined where too many have no exact decimal form. What it gives is valid until the next
 * call.
 */
export function scaleToIntegers(values: Float64Array, count: number): Scaled | undefined {
  if (areWhole(values, count)) return { exponent: 0, mantissas: values.subarray(0, count), exceptions: [] };
  if (scratch.length < count) scratch = new Float64Array(count);
  const mantissas = scratch;
  const maxExceptions = 1 + Math.floor(count / valuesPerException);
  let exceptions: number[] = [];
  let exponent = 0;
  let scale = 1;
  let previous = 0;
  for (let i = 0; i < count; i++) {
    const value = values[i]!;
    const mantissa = value * scale + rounder - rounder;
    if (isExact(value, mantissa, scale)) {
      mantissas[i] = mantissa;
      previous = mantissa;
      continue;
    }
    const larger = smallestExponent(value, exponent + 1);
    if (larger !== undefined) {
      exponent = larger;
      scale = powersOfTen[exponent]!;
      exceptions = [];
      previous = 0;
      i = -1;
    } else {
      mantissas[i] = previous;
      if (exceptions.push(i) > maxExceptions) return undefined;
    }
  }
  return { exponent, mantissas: mantissas.subarray(0, count), exceptions };
}

function areWhole(values: Float64Array, count: number): boolean {
  for (let i = 0; i < count; i++) {
    const value = values[i]!;
    const isWhole = value <= mantissaLimit && value >= -mantissaLimit && value + rounder - rounder === value;
    if (!isWhole || (value === 0 && 1 / value < 0)) return false;
  }
  return true;
}

function isExact(value: number, mantissa: number, scale: number): boolean {
  return (
    mantissa <= mantissaLimit &&
    mantissa >= -mantissaLimit &&
    mantissa / scale === value &&
    (value !== 0 || 1 / value > 0)
  );
}

function smallestExponent(value: number, from: number): number | undefined {
  for (let exponent = from; exponent <= maxExponent; exponent++) {
    const scale = powersOfTen[exponent]!;
    if (isExact(value, value * scale + rounder - rounder, scale)) return exponent;
  }
  return undefined;
}
