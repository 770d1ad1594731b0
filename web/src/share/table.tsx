import { computed, signal } from '@preact/signals';
import { shownText } from '../lines/conversions.ts';
import { reader } from '../lines/reader.ts';
import { allTime, timeText } from '../lines/time-text.ts';
import { namedText } from '../lines/value-names.ts';
import { clockWords } from '../lines/zone.ts';
import { beat, beatRange } from '../live/news.ts';
import { unitOf } from '../plots/axes.ts';
import { cursorTime, moveCursor } from '../plots/cursor.ts';
import { refreshes } from '../runs/found.ts';
import { isLive, mode } from '../state/view.ts';
import { loaded } from '../ui/loading.ts';
import { Empty, Problem, replacing } from '../ui/notice.tsx';
import { firstPlaces, loadRows, type Places, type RowsPage } from './rows-page.ts';
import { shownQueries } from './shown-query.ts';

const pageRows = 200;

/** Where the pages before the one that is seen begin, and it itself; empty on the first page. */
const cursors = signal<readonly Places[]>([]);
let paged: unknown;

/** While live data is followed the newest rows are read with each beat, or from time to time where no plot is followed. */
const again = computed(() => (isLive.value ? `${beat.value} ${refreshes.value}` : ''));

/** Rows from the newest one on are not those of a page, though they may have the same range. */
const load = loaded<RowsPage & { readonly isNewest: boolean; readonly before: number }>(() => {
  const service = reader.value;
  // What nobody sees is not asked for; while live data comes it would be asked for with every drawing.
  const queries = mode.value === 'table' ? shownQueries.value : [];
  // Cursors belong to these queries.
  if (paged !== queries) cursors.value = [];
  paged = queries;
  const places = cursors.value.at(-1) ?? firstPlaces(queries);
  if (service === undefined || queries.length === 0) return undefined;
  const { from } = beatRange.peek() ?? {};
  const newest = { ...(from !== undefined && { from }), to: allTime.to, order: 'Desc' as const };
  const isNewest = isLive.value;
  const before = cursors.value.length * pageRows;
  return async (signal) => {
    const asked = isNewest ? queries.map((query) => ({ ...query, ...newest })) : queries;
    const begin = isNewest ? firstPlaces(asked) : places;
    return { ...(await loadRows(service, asked, begin, pageRows, signal)), isNewest, before };
  };
}, again);

/** The row of the page that is nearest to the cursor, where the cursor is among its rows, whichever is the first. */
const rowAtCursor = computed(() => {
  const time = cursorTime.value;
  const times = load.value.value?.data.timestamps ?? [];
  const next =
    time === undefined
      ? -1
      : times.findIndex((own, row) => own === time || (row > 0 && own > time !== times[row - 1]! > time));
  if (time === undefined || next < 0) return undefined;
  const away = (row: number) => (times[row]! > time ? times[row]! - time : time - times[row]!);
  return next > 0 && away(next - 1) < away(next) ? next - 1 : next;
});

/** The rows themselves, page by page, or the newest first while they come, in the units that are shown; the cursor is that of the plots and the map. */
export function Table() {
  const { value, error, busy, retry } = load.value;
  const problem = replacing(error, value !== undefined);
  if (problem !== undefined) return <Problem error={problem} onRetry={retry} isAll />;
  if (value === undefined) return <Empty title={busy ? 'Loading…' : 'Nothing to show yet'} />;
  const { timestamps, numericValues, stringValues, tagValues } = value.data;
  const columns = [
    ...Object.entries(tagValues).map(([name, cells]) => ({ key: `tag ${name}`, name, unit: '', cells })),
    ...Object.entries(numericValues).map(([name, column]) => ({
      key: `number ${name}`,
      name,
      unit: unitOf(name),
      cells: column.map((value) =>
        value === null ? '' : (namedText(name, value) ?? shownText(name, value)),
      ),
    })),
    ...Object.entries(stringValues).map(([name, cells]) => ({ key: `text ${name}`, name, unit: '', cells })),
  ];
  if (timestamps.length === 0) return <Empty title="No rows here" />;
  return (
    <section class="rows" aria-label="Rows" aria-busy={busy && !isLive.value}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <div class="scroll" tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">Time ({clockWords()})</th>
              {columns.map(({ key, name, unit }) => (
                <th key={key} scope="col">
                  {name}
                  {unit !== '' && <span class="soft"> {unit}</span>}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {timestamps.map((time, row) => (
              <Row key={row} row={row} time={time} cells={columns.map((column) => column.cells[row] ?? '')} />
            ))}
          </tbody>
        </table>
      </div>
      {value.isNewest ? (
        <p class="pager soft">The newest {timestamps.length} rows, the newest first</p>
      ) : (
        <Pager before={value.before} rows={timestamps.length} next={value.next} />
      )}
    </section>
  );
}

/** Goes from page to page; says which rows are seen, of so many before them. */
function Pager({ before, rows, next }: { before: number; rows: number; next: Places | undefined }) {
  return (
    <nav class="pager" aria-label="Pages of rows">
      <button
        type="button"
        disabled={cursors.value.length === 0}
        onClick={() => {
          cursors.value = cursors.value.slice(0, -1);
        }}
      >
        Previous
      </button>
      <span>
        Rows {before + 1} to {before + rows}
      </span>
      <button
        type="button"
        disabled={next === undefined}
        onClick={() => {
          if (next !== undefined) cursors.value = [...cursors.value, next];
        }}
      >
        Next
      </button>
    </nav>
  );
}

/** A click or Enter on the time moves the cursor to it. */
function Row({ row, time, cells }: { row: number; time: bigint; cells: readonly string[] }) {
  const isAtCursor = rowAtCursor.value === row;
  return (
    <tr class={isAtCursor ? 'at-cursor' : ''} aria-current={isAtCursor ? 'true' : undefined}>
      <th scope="row">
        <button type="button" class="quiet" title="Move the cursor here" onClick={() => moveCursor(time)}>
          {timeText(time)}
        </button>
      </th>
      {cells.map((cell, i) => (
        <td key={i}>{cell}</td>
      ))}
    </tr>
  );
}
