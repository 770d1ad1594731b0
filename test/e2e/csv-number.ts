/** A value as collectd's plugin csv writes it: with six decimals, the half rounded to the even one. */
export function csvNumber(value: number): string {
  const text = value.toFixed(7);
  const isHalf = text.endsWith('5') && Number(text) === value && Number(text.at(-2)) % 2 === 0;
  return isHalf ? text.slice(0, -1) : value.toFixed(6);
}
