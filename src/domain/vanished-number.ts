/** Digits of which one is not 0, before an exponent. */
const someDigit = /^[+-]?[0.,]*[1-9]/;

/** Whether what was written is nearer to 0 than any double, which makes it 0. */
export function isVanished(text: string, value: number): boolean {
  return value === 0 && someDigit.test(text);
}
