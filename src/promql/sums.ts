/** A sum with what rounding has taken from it (A. Neumaier, "Rundungsfehleranalyse einiger Verfahren zur Summation endlicher Summen"). */
export class ExactSum {
  sum = 0;
  rest = 0;

  add(value: number): void {
    const sum = this.sum + value;
    this.rest += Math.abs(this.sum) >= Math.abs(value) ? this.sum - sum + value : value - sum + this.sum;
    this.sum = sum;
  }
}

/**
 * The sum of values `from` (inclusive) to `to` (exclusive), as `ExactSum` makes it. What rounding takes is found without asking
 * which of the two is larger (D. Knuth, "The Art of Computer Programming", 4.2.2): values tell the processor nothing of that.
 */
export function sumOf(values: Float64Array, from: number, to: number): number {
  let sum = 0;
  let rest = 0;
  for (let i = from; i < to; i++) {
    const value = values[i]!;
    const next = sum + value;
    const added = next - sum;
    rest += sum - (next - added) + (value - added);
    sum = next;
  }
  return Number.isFinite(sum) ? sum + rest : sum;
}

/** Their mean, which does not overflow on the way. Infinities of one sign stay, of both they are NaN. */
export function meanOf(values: Float64Array, from: number, to: number): number {
  let mean = 0;
  let rest = 0;
  for (let i = from; i < to; i++) {
    const value = values[i]!;
    if (isInfinite(mean) && (value === mean || Number.isFinite(value))) continue;
    const count = i - from + 1;
    const step = value / count - mean / count;
    const next = mean + step;
    rest += Math.abs(mean) >= Math.abs(step) ? mean - next + step : step - next + mean;
    mean = next;
  }
  return Number.isFinite(mean) ? mean + rest : mean;
}

export function isInfinite(value: number): boolean {
  return value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY;
}

/** Their variance (B. P. Welford, "Note on a Method for Calculating Corrected Sums of Squares and Products"). */
export function varianceOf(values: Float64Array, from: number, to: number): number {
  const mean = new ExactSum();
  const squares = new ExactSum();
  for (let i = from; i < to; i++) {
    const value = values[i]!;
    const delta = value - (mean.sum + mean.rest);
    mean.add(delta / (i - from + 1));
    squares.add(delta * (value - (mean.sum + mean.rest)));
  }
  return (squares.sum + squares.rest) / (to - from);
}

/** Order of numbers in which NaN comes first. */
export function compareNumbers(a: number, b: number): number {
  if (Number.isNaN(a)) return Number.isNaN(b) ? 0 : -1;
  return Number.isNaN(b) ? 1 : a - b || 0;
}

/** The quantile of values, between the two nearest; NaN without any. */
export function quantile(q: number, values: Float64Array): number {
  if (values.length === 0 || Number.isNaN(q)) return Number.NaN;
  if (q < 0) return Number.NEGATIVE_INFINITY;
  if (q > 1) return Number.POSITIVE_INFINITY;
  const ordered = values.some(Number.isNaN) ? values.slice().sort(compareNumbers) : values.slice().sort();
  const rank = q * (ordered.length - 1);
  const lower = Math.floor(rank);
  const upper = Math.min(ordered.length - 1, lower + 1);
  const weight = rank - lower;
  return ordered[lower]! * (1 - weight) + ordered[upper]! * weight;
}
