import type { MetCell } from '../../../src/import/same-time/met-values.ts';
import { RowStore, type SameTimeChoices } from '../../../src/import/same-time/stored-rows.ts';
import { TimeWatch, type WatchOptions } from '../../../src/import/same-time/watch-times.ts';

/** A row: its time, its tag, and the values of its channels. */
export type FileRow = readonly [time: number, tag: string | null, ...values: MetCell[]];

/** Cells are the tag, then the channels. */
export const watched: WatchOptions = { apart: [0] };

export interface WrittenRow {
  readonly time: bigint;
  readonly run: number;
  readonly tag: string | null;
  readonly values: readonly MetCell[];
}

/** The rows of a file as an import writes them, from the first on, and what it says of them. */
export function writeFile(
  rows: readonly FileRow[],
  choices: SameTimeChoices = {},
  options: WatchOptions = watched,
) {
  const watch = new TimeWatch(options);
  for (const [i, [time, ...cells]] of rows.entries()) watch.see(BigInt(time), i + 1, cells);
  const seen = watch.end();
  const channels = (rows[0] ?? []).slice(2).map((_, i) => i + 1);
  const names = channels.map((i) => `c${i}`);
  const store = new RowStore(seen, [{ form: { channels, isJson: false }, names }], choices);
  const written: WrittenRow[] = [];
  for (const [i, [time, ...cells]] of rows.entries()) {
    const stored = store.place(BigInt(time), i + 1, cells, cells);
    if (stored !== undefined)
      written.push({ ...stored, tag: cells[0] as string | null, values: cells.slice(1) });
  }
  return { seen, written, result: store.result() };
}
