import type { CountRows } from '../query/bounds/running-queries.ts';
import type { Reader } from '../store/store.ts';
import type { Budget } from './budget.ts';
import type { LabelView } from './series-labels.ts';

/** What a query reads from. */
export interface ReadsFrom {
  readonly store: Reader;
  readonly workspace: string;
  readonly view: LabelView;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
  readonly signal: AbortSignal;
  readonly countRows: CountRows;
  readonly budget: Budget;
}
