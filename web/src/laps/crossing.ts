/** Rows around a line that is crossed: seconds from any one time on, and the way since the line before. */
export interface LineRows {
  readonly seconds: readonly number[];
  readonly places: readonly number[];
}

/** When a line was crossed, and how long the lap before it was. */
export interface Crossing {
  readonly seconds: number;
  readonly length: number;
}

/**
 * Finds it from rows on both sides: the way is a parabola of time on either side, the same one but for the length of the lap.
 * Least squares with that length as one of the unknowns; so the rounding of single rows hardly counts. Undefined where the
 * way does not begin anew, or rows are too few.
 */
export function crossingOf(before: LineRows, after: LineRows): Crossing | undefined {
  const [last, first] = [before.seconds.at(-1), after.seconds[0]];
  if (last === undefined || first === undefined || before.seconds.length < 2) return undefined;
  if (!(after.places[0]! < before.places.at(-1)! / 2)) return undefined;
  // With few rows a straight line says more.
  const isCurved = before.seconds.length >= 5 && after.seconds.length >= 3;
  const terms = (seconds: number, isBefore: boolean) => {
    const at = seconds - first;
    return [isBefore ? 1 : 0, 1, at, ...(isCurved ? [at * at] : [])];
  };
  const rows = [
    ...before.seconds.map((at, i) => ({ terms: terms(at, true), place: before.places[i]! })),
    ...after.seconds.map((at, i) => ({ terms: terms(at, false), place: after.places[i]! })),
  ];
  const solved = leastSquares(rows);
  if (solved === undefined) return undefined;
  const [length = 0, place = 0, speed = 0, half = 0] = solved;
  if (!(speed > 0) || !(length > 0)) return undefined;
  let at = -place / speed;
  for (let round = 0; round < 4; round++) {
    const slope = speed + 2 * half * at;
    if (slope > 0) at -= (place + speed * at + half * at * at) / slope;
  }
  // It was after the last row of one lap and not after the first one of the next.
  return { seconds: Math.min(first, Math.max(last, first + at)), length };
}

interface Equation {
  readonly terms: readonly number[];
  readonly place: number;
}

/** Solves the normal equations by elimination with pivots; undefined where they have no one solution. */
function leastSquares(rows: readonly Equation[]): number[] | undefined {
  const count = rows[0]?.terms.length ?? 0;
  const matrix = Array.from({ length: count }, (_, i) =>
    Array.from({ length: count + 1 }, (_, j) =>
      rows.reduce((sum, { terms, place }) => sum + terms[i]! * (j < count ? terms[j]! : place), 0),
    ),
  );
  for (let column = 0; column < count; column++) {
    let pivot = column;
    for (let row = column; row < count; row++)
      if (Math.abs(matrix[row]![column]!) > Math.abs(matrix[pivot]![column]!)) pivot = row;
    [matrix[column], matrix[pivot]] = [matrix[pivot]!, matrix[column]!];
    const own = matrix[column]!;
    if (Math.abs(own[column]!) < 1e-12) return undefined;
    for (const [row, other] of matrix.entries()) {
      if (row === column) continue;
      const factor = other[column]! / own[column]!;
      for (let j = column; j <= count; j++) other[j]! -= factor * own[j]!;
    }
  }
  return matrix.map((row, i) => row[count]! / row[i]!);
}
