import { Kind } from '../../../domain/parameter-data.ts';
import type { StoredColumn, StoredRows } from '../../../query/states/stored-rows.ts';
import { emptyStatistics, type FrameStatistics } from '../codecs/frame-statistics.ts';
import { frameSize } from '../codecs/integer-frames.ts';
import { PresenceForm } from '../codecs/presence-codec.ts';
import type { ColumnEntry } from '../codecs/row-group-directory.ts';
import type { EncodedGroup } from '../parts/encoded-group.ts';
import { parameterFinder } from '../rows/find-parameter.ts';
import { type RowGroup, rowsInside } from '../rows/row-group.ts';
import { rowsOutside } from '../rows/rows-outside.ts';
import { type OffsetRange, windowStart } from '../rows/windows.ts';

/**
 * Gives a view of a row group to `use` in the form in which aggregations take it. The rows, and all that is decoded of
 * them, are valid until `use` returns. `none` where the view has no wanted column, `sparse` where none of them has a
 * value in every row, so that some rows may have no value at all: then `use` is not called.
 */
export type StoredRowsOf = (
  view: EncodedGroup,
  window: number,
  inside: OffsetRange,
  hidden: readonly OffsetRange[],
  use: (rows: StoredRows) => void,
) => 'used' | 'none' | 'sparse';

/** Arrays that one row group at a time is decoded into. They grow to as many rows as a group has had. */
interface DecodingMemory {
  offsets(rows: number): Float64Array;
  values(rows: number): Float64Array;
  statistics(rows: number): FrameStatistics;
}

function decodingMemory(): DecodingMemory {
  let offsets = new Float64Array(0);
  let values = new Float64Array(0);
  let statistics = emptyStatistics(0);
  return {
    offsets(rows) {
      if (offsets.length < rows) offsets = new Float64Array(rows);
      return offsets;
    },
    values(rows) {
      if (values.length < rows) values = new Float64Array(rows);
      return values;
    },
    statistics(rows) {
      const frames = Math.ceil(rows / frameSize);
      if (statistics.sum.length < frames) statistics = emptyStatistics(frames);
      return statistics;
    },
  };
}

/** Memory that nobody decodes into now: a small query would spend more on memory of its own than on its rows. */
const idle: DecodingMemory[] = [];

/** Lends memory to `action`, which alone has it until it returns. What it is given throws afterwards. */
function withDecodingMemory(action: (memory: () => DecodingMemory) => void): void {
  const memory = idle.pop() ?? decodingMemory();
  let lent = true;
  try {
    action(() => {
      if (!lent) throw new Error('rows were used after their memory was given back');
      return memory;
    });
  } finally {
    lent = false;
    idle.push(memory);
  }
}

export function createStoredRows(parameters: readonly (number | undefined)[]): StoredRowsOf {
  let lastWindow = { window: 0, base: windowStart(0) };

  return (view, window, inside, hidden, use) => {
    const entries = parameters.map(parameterFinder(view.columns));
    if (entries.every((entry) => entry === undefined)) return 'none';
    if (!entries.some((entry) => entry?.presenceForm === PresenceForm.All)) return 'sparse';
    if (window !== lastWindow.window) lastWindow = { window, base: windowStart(window) };
    withDecodingMemory((memory) => use(storedRows(view, entries, lastWindow.base, inside, hidden, memory)));
    return 'used';
  };
}

function storedRows(
  view: EncodedGroup,
  entries: readonly (ColumnEntry | undefined)[],
  base: bigint,
  inside: OffsetRange,
  hidden: readonly OffsetRange[],
  memory: () => DecodingMemory,
): StoredRows {
  const { rows, minOffset, maxOffset } = view.handle;
  const { step } = view;
  let decoded: Float64Array | undefined;
  const offsets = () => {
    decoded ??= view.offsets(memory().offsets(rows));
    return decoded;
  };
  return {
    count: rows,
    base,
    first: minOffset,
    last: maxOffset,
    from: inside.first,
    to: inside.last,
    hidden,
    step,
    offsetOf:
      step === undefined
        ? (row) => (row === 0 ? minOffset : row === rows - 1 ? maxOffset : offsets()[row]!)
        : (row) => minOffset + row * step,
    offsets,
    tags: () => view.tags(),
    columns: entries.map((entry) => entry && storedColumn(view, entry, memory)),
  };
}

function storedColumn(view: EncodedGroup, entry: ColumnEntry, memory: () => DecodingMemory): StoredColumn {
  const { rows } = view.handle;
  return {
    isDense: entry.presenceForm === PresenceForm.All,
    isNumeric: entry.kind === Kind.Numeric,
    decode: (into) => view.values(entry, into ?? memory().values(rows)),
    statistics: (withSums) => entry.statistics && view.statistics(entry, withSums, memory().statistics(rows)),
    sumRuns: (runs, sums) => view.runSums(entry, runs, sums),
    decodeFrames: (marks) => ({
      values: view.frames(entry, marks, memory().values(rows)),
      present: undefined,
    }),
  };
}

/** The rows of a view inside a range of offsets and outside of hidden ones, which ascend and are apart; decoded. */
export function rowsOfView(
  view: EncodedGroup,
  parameters: readonly (number | undefined)[],
  inside: OffsetRange,
  hidden: readonly OffsetRange[],
): RowGroup {
  const { stream, rows } = view.handle;
  const offsets = view.offsets();
  const wanted = new Set(parameters);
  const columns = view.columns
    .filter(({ parameter }) => wanted.has(parameter))
    .map((entry) => view.values(entry));
  const group = { stream, count: rows, offsets, ...view.tags(), columns };
  return rowsOutside(rowsInside(group, inside), hidden);
}
