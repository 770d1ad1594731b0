/** What the axis across says. */
export interface Ticks {
  readonly label?: string;
  /** Where its ticks stand in a plot of so many pixels. */
  splits(width: number): number[];
  texts(splits: readonly number[]): string[];
}
