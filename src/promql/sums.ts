/** A sum with what rounding has taken from it (A. Neumaier, "Rundungsfehleranalyse einiger Verfahren zur Summation endlicher Summen"). */
export class ExactSum {
  sum = 0;
  rest = 0;

  add(value: number): void {
    const sum = this.sum + value;
    this.rest += Math.abs(this.sum) >= Math.abs(value) ? this.sum - sum + value : value - sum + this.sum;
    this.sum = sum;
  }

  total(): number {
    return Number.isFinite(this.sum) ? this.sum + this.rest : this.sum;
  }
}

/** A mean that does not overflow on the way. Infinities of one sign stay, of both they are NaN. */
export class RunningMean {
  count = 0;
  #mean = new ExactSum();

  add(value: number): void {
    this.count++;
    const { sum } = this.#mean;
    if (isInfinite(sum) && (value === sum || Number.isFinite(value))) return;
    this.#mean.add(value / this.count - sum / this.count);
  }

  total(): number {
    return this.#mean.total();
  }
}

export function isInfinite(value: number): boolean {
  return value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY;
}

/** The variance of values, as they come (B. P. Welford, "Note on a Method for Calculating Corrected Sums of Squares and Products"). */
export class RunningVariance {
  count = 0;
  #mean = new ExactSum();
  #squares = new ExactSum();

  add(value: number): void {
    this.count++;
    const delta = value - (this.#mean.sum + this.#mean.rest);
    this.#mean.add(delta / this.count);
    this.#squares.add(delta * (value - (this.#mean.sum + this.#mean.rest)));
  }

  total(): number {
    return (this.#squares.sum + this.#squares.rest) / this.count;
  }
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
