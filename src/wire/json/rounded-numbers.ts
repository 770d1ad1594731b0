import { isVanished } from '../../domain/vanished-number.ts';

/**
 * Whether a number vanished, or a whole number that was written so is another one as a double. Digits that come back as
 * they are were those of a double already: JavaScript writes 2^63 as 9223372036854776000.
 */
export function isRounded(text: string, value: number): boolean {
  if (value === 0) return isVanished(text, value);
  if (Math.abs(value) <= Number.MAX_SAFE_INTEGER || !/^[+-]?\d+$/.test(text)) return false;
  return text !== String(value) && BigInt(text.replace('+', '')) !== BigInt(value);
}

/** Counts the numbers of a body that a double makes others: long whole ones, and those too near to 0. */
export class RoundedNumbers {
  count = 0;
  #first = '';

  /** @param place of the number, made for the first one only */
  note(text: string, place: () => string): void {
    if (this.count++ === 0) this.#first = `${place()}, ${text}`;
  }

  /** What is to be told; undefined where there are none. */
  get text(): string | undefined {
    if (this.count === 0) return undefined;
    const those = this.count === 1 ? 'A number was' : `${this.count} numbers were`;
    return `${those} rounded, for a double holds whole numbers up to 2^53, and nothing nearer to 0 than 5e-324: the first is ${this.#first}.`;
  }

  reset(): void {
    this.count = 0;
  }
}
