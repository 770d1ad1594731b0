import type { TimeRange } from '../state/view-text.ts';
import type { Selection } from './point-load.ts';

/** Rows that are counted or taken apart: of a run, or of a lap. */
export interface RowsWish {
  readonly rows: Selection;
  readonly range: TimeRange;
}
