/**
 * Whether a whole number that was written so is another one as a double. Digits that come back as they are were those of a
 * double already: JavaScript writes 2^63 as 9223372036854776000.
 */
export function isRounded(text: string, value: number): boolean {
  if (Math.abs(value) <= Number.MAX_SAFE_INTEGER || !/^[+-]?\d+$/.test(text)) return false;
  return text !== String(value) && BigInt(text.replace('+', '')) !== BigInt(value);
}

/** Counts the whole numbers of a body that no double holds. */
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
    const those = this.count === 1 ? 'A whole number was' : `${this.count} whole numbers were`;
    return `${those} rounded, for a double holds no more than 2^53 exactly: the first is ${this.#first}.`;
  }

  reset(): void {
    this.count = 0;
  }
}
