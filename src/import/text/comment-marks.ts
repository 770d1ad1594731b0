/** What begins a comment: of NumPy, gnuplot and pandas, of MATLAB, of C, of sigrok and others. */
const markForm = /^\s*(?:#+|%+|\/\/+|;+|!+)\s*/;

export function isMarked(cells: readonly string[]): boolean {
  return markForm.test(cells[0] ?? '');
}

/** A line without its mark of comments. */
export function bareLine(line: string): string {
  return line.replace(markForm, '');
}

/** The cells of a row above a table without a mark of comments before the first; a mark alone may be the name of a column. */
export function bareCells(cells: readonly string[], width: number): readonly string[] {
  if (!isMarked(cells)) return cells;
  const first = bareLine(cells[0]!);
  if (first === '' && filledWidth(cells) <= width) return cells;
  const bare = first === '' ? cells.slice(1) : [first, ...cells.slice(1)];
  return filledWidth(bare) > width ? withUnits(bare) : bare;
}

/** Names and the units in brackets behind them, which spaces held apart. */
function withUnits(cells: readonly string[]): readonly string[] {
  const joined: string[] = [];
  for (const cell of cells) {
    if (joined.length > 0 && /^(?:\[.*\]|\(.*\))$/.test(cell)) joined.push(`${joined.pop()!} ${cell}`);
    else joined.push(cell);
  }
  return joined;
}

/** Without empty cells at the end. */
export function filledWidth(cells: readonly string[]): number {
  return cells.findLastIndex((cell) => cell.trim() !== '') + 1;
}
