import { compareText } from '../domain/tags.ts';
import type { Budget } from './budget.ts';
import { type Folded, type FoldedOperator, folds } from './folds.ts';
import type { SeriesSink } from './found-series.ts';
import { type Grouping, groupLabels, type Labels } from './labels.ts';
import { bytesOf, emptySeries, type Grid, type Series } from './values.ts';

interface Group extends Folded {
  readonly labels: Labels;
}

/** An aggregation whose results are new series: others are added as they are found, and not kept. */
export class FoldedSeries implements SeriesSink {
  readonly #operator: FoldedOperator;
  readonly #grouping: Grouping;
  readonly #grid: Grid;
  readonly #budget: Budget;
  readonly #groups = new Map<string, Group>();
  #scratch: Series | undefined;

  constructor(
    operator: FoldedOperator,
    grouping: Grouping,
    { grid, budget }: { readonly grid: Grid; readonly budget: Budget },
  ) {
    this.#operator = operator;
    this.#grouping = grouping;
    this.#grid = grid;
    this.#budget = budget;
  }

  begin(labels: Labels): Series {
    if (this.#scratch === undefined) {
      this.#budget.take(bytesOf(1, this.#grid));
      this.#scratch = emptySeries(labels, this.#grid.count);
    }
    const { values, present } = this.#scratch;
    present.fill(0);
    return { labels, values, present };
  }

  end(series: Series): boolean {
    if (!series.present.includes(1)) return false;
    this.add(series);
    return true;
  }

  add(series: Series): void {
    const labels = groupLabels(series.labels, this.#grouping);
    let group = this.#groups.get(labels.key);
    if (group === undefined) {
      group = this.#groupOf(labels);
      this.#groups.set(labels.key, group);
    }
    folds[this.#operator].add(group, series);
  }

  /** The series of the groups, by their labels. */
  results(): Series[] {
    const { end } = folds[this.#operator];
    const all = [...this.#groups.values()].map((group) => {
      const { labels, counts, values } = group;
      const present = new Uint8Array(counts.length);
      for (let i = 0; i < counts.length; i++) {
        if (counts[i] === 0) continue;
        present[i] = 1;
        if (end !== undefined) values[i] = end(group, i);
      }
      return { labels, values, present };
    });
    return all.sort((a, b) => compareText(a.labels.key, b.labels.key));
  }

  #groupOf(labels: Labels): Group {
    const { count } = this.#grid;
    const { hasSquares } = folds[this.#operator];
    this.#budget.take(bytesOf(1, this.#grid) + (hasSquares ? 12 : 4) * count);
    const values = new Float64Array(count);
    return { labels, counts: new Int32Array(count), values, squares: hasSquares && new Float64Array(count) };
  }
}
