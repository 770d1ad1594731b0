import { Kind } from '../../../domain/parameter-data.ts';
import type { StoredColumn, StoredRows } from '../../../query/stored-rows.ts';
import { emptyStatistics, type FrameStatistics } from '../codecs/frame-statistics.ts';
import { frameSize } from '../codecs/integer-frames.ts';
import { PresenceForm } from '../codecs/presence-codec.ts';
import type { ColumnEntry } from '../codecs/row-group-directory.ts';
import type { EncodedGroup } from '../parts/encoded-group.ts';
import { type RowGroup, rowsInside } from '../rows/row-group.ts';
import { type OffsetRange, windowStart } from '../rows/windows.ts';

/**
 * Gives a view of a row group the form in which aggregations take it: `none` where it has no wanted column,
 * `sparse` where none of them has a value in every row, so that some rows may have no value at all. What comes of
 * one view is valid until the next one is asked, by any query: all decode into the same memory.
 */
export type StoredRowsOf = (
  view: EncodedGroup,
  window: number,
  inside: OffsetRange,
) => StoredRows | 'none' | 'sparse';

/** Of as many rows as a row group has had; a small query would spend more on memory of its own than on its rows. */
let offsetsMemory = new Float64Array(0);
let valuesMemory = new Float64Array(0);
let statisticsMemory = emptyStatistics(0);

function offsetsFor(rows: number): Float64Array {
  if (offsetsMemory.length < rows) offsetsMemory = new Float64Array(rows);
  return offsetsMemory;
}

function valuesFor(rows: number): Float64Array {
  if (valuesMemory.length < rows) valuesMemory = new Float64Array(rows);
  return valuesMemory;
}

function statisticsFor(rows: number): FrameStatistics {
  const frames = Math.ceil(rows / frameSize);
  if (statisticsMemory.sum.length < frames) statisticsMemory = emptyStatistics(frames);
  return statisticsMemory;
}

export function createStoredRows(parameters: readonly (number | undefined)[]): StoredRowsOf {
  let lastWindow = { window: 0, base: windowStart(0) };

  function columnOf(view: EncodedGroup, entry: ColumnEntry): StoredColumn {
    const { rows } = view.handle;
    return {
      isDense: entry.presenceForm === PresenceForm.All,
      isNumeric: entry.kind === Kind.Numeric,
      decode: () => view.values(entry, valuesFor(rows)),
      statistics: () => entry.statistics && view.statistics(entry, statisticsFor(rows)),
      decodeFrames: (marks) => ({ values: view.frames(entry, marks, valuesFor(rows)), present: undefined }),
    };
  }

  return (view, window, inside) => {
    const { rows, minOffset, maxOffset } = view.handle;
    let found = false;
    let dense = false;
    const columns = parameters.map((number) => {
      const entry = number === undefined ? undefined : entryOf(view, number);
      if (entry === undefined) return undefined;
      found = true;
      dense ||= entry.presenceForm === PresenceForm.All;
      return columnOf(view, entry);
    });
    if (!found) return 'none';
    if (!dense) return 'sparse';
    let decoded: Float64Array | undefined;
    const offsets = () => {
      decoded ??= view.offsets(offsetsFor(rows));
      return decoded;
    };
    if (window !== lastWindow.window) lastWindow = { window, base: windowStart(window) };
    const { step } = view;
    return {
      count: rows,
      base: lastWindow.base,
      first: minOffset,
      last: maxOffset,
      from: inside.first,
      to: inside.last,
      step,
      offsetOf:
        step === undefined
          ? (row) => (row === 0 ? minOffset : row === rows - 1 ? maxOffset : offsets()[row]!)
          : (row) => minOffset + row * step,
      offsets,
      tags: view.tags,
      columns,
    };
  };
}

function entryOf(view: EncodedGroup, parameter: number): ColumnEntry | undefined {
  for (const entry of view.columns) if (entry.parameter === parameter) return entry;
  return undefined;
}

/** The rows of a view inside a range of offsets, decoded. */
export function rowsOfView(
  view: EncodedGroup,
  parameters: readonly (number | undefined)[],
  inside: OffsetRange,
): RowGroup {
  const { stream, rows } = view.handle;
  const offsets = view.offsets();
  const columns = view.columns
    .filter(({ parameter }) => parameters.includes(parameter))
    .map((entry) => view.values(entry));
  return rowsInside({ stream, count: rows, offsets, ...view.tags(), columns }, inside);
}
