import { mostDigits } from '../server/window-lengths.ts';

/** The end of the integers that keep apart what doubles keep apart, with one digit more too. */
const largest = 2 ** 49;

/**
 * With how many digits behind the point, `fewest` or more, each number is the one that its digits say; undefined where there
 * are none, as for NaN, −0 and numbers that are no short decimals.
 */
export function digitsOf(numbers: Float64Array, fewest: number): number | undefined {
  let digits = fewest;
  let power = 10 ** digits;
  let greatest = 0;
  for (let i = 0; i < numbers.length; i++) {
    const number = numbers[i]!;
    const size = Math.abs(number);
    if (size > greatest) greatest = size;
    while (Math.round(number * power) / power !== number) {
      if (digits === mostDigits) return undefined;
      power = 10 ** ++digits;
    }
    if (number === 0 && 1 / number < 0) return undefined;
  }
  return greatest * power < largest ? digits : undefined;
}

/** Numbers as integers of so many digits, as pairs of words, the low one first. */
export function scaleInto(target: Uint32Array, at: number, numbers: Float64Array, digits: number): void {
  const power = 10 ** digits;
  for (let i = 0, word = at; i < numbers.length; i++) {
    const whole = Math.round(numbers[i]! * power);
    // Both take the value modulo 2^32.
    target[word++] = whole;
    target[word++] = Math.floor(whole / 0x100000000);
  }
}
