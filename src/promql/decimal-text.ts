/** A number in the shortest digits that read as it, as Prometheus shows values: with an exponent of two digits where it is tiny or huge. */
export function valueText(value: number): string {
  if (Number.isFinite(value)) {
    if (Object.is(value, -0)) return '-0';
    const text = String(value);
    const size = Math.abs(value);
    // What lies between has no exponent.
    return size >= 1e-6 && size < 1e21 ? text : text.replace(/e([+-])(\d)$/, 'e$10$2');
  }
  if (Number.isNaN(value)) return 'NaN';
  return value > 0 ? '+Inf' : '-Inf';
}

/** Writes a number without an exponent. */
export function decimalText(value: number): string {
  const text = valueText(value);
  const [, sign, whole, fraction = '', exponent] = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(text) ?? [];
  if (exponent === undefined) return text;
  const digits = whole! + fraction;
  const point = 1 + Number(exponent);
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  return sign + digits.padEnd(point, '0');
}
