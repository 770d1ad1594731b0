/**
 * A sum in twice the precision of a double, so that values can be taken out of it again and the order in which they came
 * does not show: D. E. Knuth, The Art of Computer Programming, volume 2, 4.2.2 (the exact error of an addition).
 */
export class DoubleDoubleSum {
  private high = 0;
  private low = 0;

  get value(): number {
    return this.high + this.low;
  }

  add(x: number): void {
    const sum = this.high + x;
    const own = sum - this.high;
    const error = this.high - (sum - own) + (x - own) + this.low;
    this.high = sum + error;
    this.low = error - (this.high - sum);
  }

  clear(): void {
    this.high = 0;
    this.low = 0;
  }
}
