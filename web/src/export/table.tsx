import { signal } from '@preact/signals';
import type { Page } from '../../../src/client/client.ts';
import { exactText } from '../look/reading.ts';
import { timeText } from '../look/time-text.ts';
import { client } from '../session.ts';
import { mode } from '../state/view.ts';
import { loaded } from '../ui/loading.ts';
import { Empty, Problem } from '../ui/notice.tsx';
import { shownQuery } from './shown-query.ts';

const pageRows = 200;

/** Cursors of the pages before the one that is seen, the last one its own; empty on the first page. */
const cursors = signal<readonly string[]>([]);
let pagedQuery: unknown;

const load = loaded<Page>(() => {
  const service = client.value;
  // What nobody sees is not asked for; while live data comes it would be asked for with every drawing.
  const query = mode.value === 'table' ? shownQuery.value : undefined;
  // Cursors belong to one query.
  if (pagedQuery !== query) cursors.value = [];
  pagedQuery = query;
  const cursor = cursors.value.at(-1);
  if (service === undefined || query === undefined) return undefined;
  return (signal) => service.page({ ...query, limit: pageRows, ...(cursor && { cursor }) }, { signal });
});

/** The rows themselves, page by page, with every digit. */
export function Table() {
  const { value, error, busy, retry } = load.value;
  if (error !== undefined) return <Problem error={error} onRetry={retry} />;
  if (value === undefined) return <Empty title={busy ? 'Loading…' : 'Nothing to show yet'} />;
  const { timestamps, numericValues, stringValues, tagValues } = value.data;
  const columns = [
    ...Object.entries(tagValues),
    ...Object.entries(numericValues).map(
      ([name, column]) => [name, column.map((value) => (value === null ? '' : exactText(value)))] as const,
    ),
    ...Object.entries(stringValues),
  ];
  if (timestamps.length === 0) return <Empty title="No rows here" />;
  return (
    <section class="rows" aria-label="Rows" aria-busy={busy}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <div class="scroll" tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">Time (UTC)</th>
              {columns.map(([name]) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {timestamps.map((time, row) => (
              <tr key={row}>
                <th scope="row">{timeText(time)}</th>
                {columns.map(([name, column]) => (
                  <td key={name}>{column[row] ?? ''}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
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
          Rows {cursors.value.length * pageRows + 1} to {cursors.value.length * pageRows + timestamps.length}
        </span>
        <button
          type="button"
          disabled={value.nextCursor === undefined}
          onClick={() => {
            if (value.nextCursor !== undefined) cursors.value = [...cursors.value, value.nextCursor];
          }}
        >
          Next
        </button>
      </nav>
    </section>
  );
}
