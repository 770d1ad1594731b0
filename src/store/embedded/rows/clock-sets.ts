/**
 * Below this share of values a column has a clock of its own: a bit a row for its presence takes more than its times do.
 */
const sparseShare = 1 / 8;

/** A column of some rows, and how many of them have a value; undefined where all have one. */
export interface CountedColumn {
  readonly parameter: number;
  readonly present: number | undefined;
}

/**
 * The columns of some rows by their clocks: those that have values in most rows, and each other one by itself. Columns
 * without any value are left out. Parameters ascend.
 */
export function clockSets(columns: readonly CountedColumn[], rows: number): number[][] {
  const shared: number[] = [];
  const sets: number[][] = [];
  for (const { parameter, present = rows } of columns) {
    if (present >= sparseShare * rows) shared.push(parameter);
    else if (present > 0) sets.push([parameter]);
  }
  shared.sort((a, b) => a - b);
  if (shared.length > 0) sets.push(shared);
  return sets;
}
