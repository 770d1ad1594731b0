import { plainLine } from './plain-lines.ts';

/** Rows of text as columns with two spaces between them, the first row being the heading. */
export function renderTable(given: readonly (readonly string[])[]): string {
  const rows = given.map((row) => row.map(plainLine));
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, i) => {
      widths[i] = Math.max(widths[i] ?? 0, cell.length);
    });
  }
  return rows
    .map((row) =>
      row
        .map((cell, i) => cell.padEnd(widths[i]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
