import type { StoredColumn, StoredRows } from '../../query/stored-rows.ts';
import { emptyStatistics } from './frame-statistics.ts';
import type { GroupView } from './group-view.ts';
import { frameSize } from './integer-frames.ts';
import { PresenceForm } from './presence-codec.ts';
import type { ColumnEntry } from './row-group-codec.ts';
import type { OffsetRange } from './snapshot.ts';
import { firstRowFrom, type RowGroup, sliceRows } from './sorted-rows.ts';
import { windowStart } from './windows.ts';

/**
 * Gives a view of a row group the form in which aggregations take it: `none` where it has no wanted column,
 * `sparse` where none of them has a value in every row, so that some rows may have no value at all. What comes of
 * one view is valid until the next one is asked.
 */
export type StoredRowsOf = (
  view: GroupView,
  window: number,
  inside: OffsetRange,
) => StoredRows | 'none' | 'sparse';

export function createStoredRows(
  parameters: readonly (number | undefined)[],
  mostRows: number,
): StoredRowsOf {
  const offsetsMemory = new Float64Array(mostRows);
  const valuesMemory = new Float64Array(mostRows);
  const statisticsMemory = emptyStatistics(Math.ceil(mostRows / frameSize));

  function columnOf(view: GroupView, entry: ColumnEntry): StoredColumn {
    const isDense = entry.presenceForm === PresenceForm.All;
    const fits = view.handle.rows <= mostRows;
    return {
      isDense,
      decode: () => view.values(entry, fits ? valuesMemory : undefined),
      statistics: () =>
        entry.statistics === undefined
          ? undefined
          : view.statistics(entry, fits ? statisticsMemory : undefined),
      decodeFrames: (marks) => ({
        values: view.frames(entry, marks, fits ? valuesMemory : new Float64Array(view.handle.rows)),
        present: undefined,
      }),
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
      decoded ??= view.offsets(rows <= mostRows ? offsetsMemory : undefined);
      return decoded;
    };
    return {
      count: rows,
      base: windowStart(window),
      first: minOffset,
      last: maxOffset,
      from: inside.first,
      to: inside.last,
      offsetOf: (row) => (row === 0 ? minOffset : row === rows - 1 ? maxOffset : offsets()[row]!),
      offsets,
      tags: view.tags,
      columns,
    };
  };
}

function entryOf(view: GroupView, parameter: number): ColumnEntry | undefined {
  for (const entry of view.columns) if (entry.parameter === parameter) return entry;
  return undefined;
}

/** The rows of a view inside a range of offsets, decoded. */
export function rowsOfView(
  view: GroupView,
  parameters: readonly (number | undefined)[],
  { first, last }: OffsetRange,
): RowGroup {
  const { stream, rows } = view.handle;
  const offsets = view.offsets();
  const columns = view.columns
    .filter(({ parameter }) => parameters.includes(parameter))
    .map((entry) => view.values(entry));
  const group = { stream, count: rows, offsets, ...view.tags(), columns };
  return sliceRows(group, firstRowFrom(offsets, first), firstRowFrom(offsets, last + 1));
}
