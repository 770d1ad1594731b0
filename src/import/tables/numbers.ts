/** Doubles that JSON has no number for; they travel as strings. */
export const spelledNumbers: ReadonlySet<string> = new Set(['NaN', 'Infinity', '-Infinity']);

const jsonNumber = /^-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

/**
 * True for a JSON number that a double can hold. A whole number that would come back with other digits (a long serial
 * number, say) is text: its digits matter.
 */
export function isNumber(text: string): boolean {
  const match = jsonNumber.exec(text);
  if (match === null) return spelledNumbers.has(text);
  const value = Number(text);
  if (!Number.isFinite(value)) return false;
  const isWhole = match[1] === undefined && match[2] === undefined;
  return !isWhole || String(value) === text || BigInt(text) === BigInt(value);
}

const safe = 2n ** 53n;

/** Whether a double holds a whole number. */
export function isDouble(whole: bigint): boolean {
  return (whole <= safe && whole >= -safe) || BigInt(Number(whole)) === whole;
}

/** The fewest digits that are the same number of 32 bits. */
export function float32Text(value: number): string {
  for (let digits = 1; digits < 9; digits++) {
    const text = value.toPrecision(digits);
    if (Math.fround(Number(text)) === value) return text;
  }
  return value.toPrecision(9);
}
