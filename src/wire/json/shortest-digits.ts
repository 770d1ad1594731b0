/**
 * The digits of the shortest decimal that reads as a double (as JSON.stringify writes it), found by arithmetic of doubles.
 *
 * Seventeen digits always do, so the double is multiplied by the power of ten that leaves seventeen before the point. That power
 * is at most 10^22, which a double holds exactly, and the product is kept exactly too, as the sum of two doubles (T. Dekker,
 * 1971). Every decimal nearer to the number than half of its distance to its neighbours reads as it; among these the one with
 * the most zeros at its end is taken, and of several the nearest.
 */
export interface SeventeenDigits {
  /** The first nine digits. */
  upper: number;
  /** The eight others, with zeros at their end where there are fewer. */
  lower: number;
  /** How many digits stand before the point; 0 or less below 0.1: so many zeros come behind the point first. */
  before: number;
}

/** 10^0 to 10^22, and the halves of their digits, whose products with halves are exact. */
const powers = Float64Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`));
const upperHalves = powers.map(upperHalf);
const lowerHalves = powers.map((power, exponent) => power - upperHalves[exponent]!);

/** 0.1 to 10^-5. */
const fractions = Float64Array.from({ length: 5 }, (_, i) => Number(`1e-${i + 1}`));

/** Half of the distance to the next double, by the exponent of 2, counted from the least one. */
const leastExponent = -20;
const halfSteps = Float64Array.from({ length: 70 }, (_, i) => 2 ** (i + leastExponent - 53));

const double = new Float64Array(1);
const words = new Uint32Array(double.buffer);
const upperWord = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1 ? 1 : 0;

/** What is nearer than this to a border may be on its other side: the last addition was rounded, by less. */
const doubt = 1e-6;
const unknown = -1;

/**
 * Finds the digits of a number in [10^-6, 10^15) that has a fraction.
 *
 * @param before how many digits it has before the point
 * @returns false, seldom, where it lies too near to a border to tell; then `found` means nothing
 */
export function findDigits(value: number, before: number, found: SeventeenDigits): boolean {
  double[0] = value;
  const high = words[upperWord]!;
  // The neighbours of a power of two are not equally far.
  if ((high & 0xfffff) === 0 && words[1 - upperWord] === 0) return false;
  found.before = before > 0 ? before : -zerosBehind(value);
  const places = 17 - found.before;
  const product = value * powers[places]!;
  let upper = Math.floor(product / 1e8);
  let rest = product - upper * 1e8 + lostBy(value, places, product);
  // The division may have rounded up.
  if (rest < 0) {
    upper--;
    rest += 1e8;
  }
  const half = halfSteps[(high >>> 20) - 1023 - leastExponent]! * powers[places]!;
  const lower = shortest(rest, half);
  if (lower < 0) return false;
  found.upper = lower < 1e8 ? upper : upper + 1;
  found.lower = lower < 1e8 ? lower : lower - 1e8;
  return found.upper >= 1e8 && found.upper < 1e9;
}

/** What the product of a number and a power of ten lost by rounding, exactly. */
function lostBy(value: number, exponent: number, product: number): number {
  const upper = upperHalf(value);
  const lower = value - upper;
  const [upperPower, lowerPower] = [upperHalves[exponent]!, lowerHalves[exponent]!];
  return upper * upperPower - product + upper * lowerPower + lower * upperPower + lower * lowerPower;
}

/** The first 26 bits (J. Veltkamp, 1968). */
function upperHalf(value: number): number {
  const scaled = 134_217_729 * value;
  return scaled - (scaled - value);
}

/** How many zeros a number below 1, and from 10^-6 on, has behind the point. */
function zerosBehind(value: number): number {
  let zeros = 0;
  while (zeros < fractions.length && value < fractions[zeros]!) zeros++;
  return zeros;
}

/** The whole number nearer to `value` than `half`, which is 0.5 to 11.2, with the most zeros at its end; or `unknown`. */
function shortest(value: number, half: number): number {
  const low = value - half;
  const high = value + half;
  const hundred = Math.floor(high / 100) * 100;
  if (high - hundred < doubt || high - hundred > 100 - doubt) return unknown;
  if (hundred > low - doubt) return hundred > low + doubt ? hundred : unknown;
  const ten = Math.round(value / 10) * 10;
  const fromTen = Math.abs(value - ten);
  if (fromTen < half + doubt) return fromTen < Math.min(half, 5) - doubt ? ten : unknown;
  const one = Math.round(value);
  return Math.abs(value - one) < 0.5 - doubt ? one : unknown;
}
