/**
 * Numbers as the sum of two doubles, high and low, which together have twice the precision of one. Sources: D. E. Knuth, The
 * Art of Computer Programming, volume 2, 4.2.2 (the exact error of an addition); T. J. Dekker, "A floating-point technique
 * for extending the available precision", 1971 (that of a product).
 */

/** The factor that splits a double into two of 26 bits (G. W. Veltkamp). */
const splitter = 2 ** 27 + 1;
/** The end of the counts that are exact times 26 bits. */
const shortCount = 2 ** 26;
/** The end of the numbers that can be split without leaving the doubles. */
const largestSplit = 2 ** 990;
/** The factor that brings every double below `largestSplit`; a power of two, so that no digit is lost. */
export const shrinking = 2 ** -64;

/**
 * Returns the exact product minus `product`, which is value * count rounded.
 * @param value below 2^990
 * @param count a whole number below 2^52
 */
export function lostOfProduct(value: number, count: number, product: number): number {
  const wide = splitter * value;
  const high = wide - (wide - value);
  const low = value - high;
  if (count < shortCount) return high * count - product + low * count;
  const rest = count % shortCount;
  const most = count - rest;
  return high * most - product + high * rest + low * most + low * rest;
}

/**
 * The quotient of a number of two doubles and a count, as if rounded once. So the mean of equal values is that value, and no
 * mean lies outside its values.
 */
export function quotient(high: number, low: number, count: number): number {
  const whole = high + low;
  if (!(Math.abs(whole) < largestSplit)) return ofLarge(high, low, count);
  const added = whole - high;
  const rest = high - (whole - added) + (low - added);
  const rounded = whole / count;
  const product = rounded * count;
  return rounded + (whole - product - lostOfProduct(rounded, count, product) + rest) * (1 / count);
}

function ofLarge(high: number, low: number, count: number): number {
  const whole = high + low;
  return whole - whole === 0 ? quotient(high * shrinking, low * shrinking, count) / shrinking : whole / count;
}
