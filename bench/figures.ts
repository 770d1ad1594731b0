/** How figures are shown. */
export function show(value: number): string {
  if (Number.isNaN(value)) return '-';
  return value >= 1000 ? Math.round(value).toLocaleString('en-US') : value.toFixed(value >= 10 ? 1 : 3);
}

export function printTable(rows: readonly (readonly string[])[]): void {
  const widths = rows[0]!.map((_, i) => Math.max(...rows.map((row) => row[i]!.length)));
  for (const row of rows) console.log(row.map((cell, i) => cell.padStart(widths[i]!)).join('  '));
}

export function percentiles(values: Float64Array): { p50: number; p99: number } {
  const ordered = Float64Array.from(values).sort();
  const at = (share: number) => ordered[Math.floor(ordered.length * share)]!;
  return { p50: at(0.5), p99: at(0.99) };
}
