import type { Table } from '../../../src/import/tables/open-table.ts';
import { timeFormText } from '../../../src/import/text/map-rows.ts';
import type { TimeForm } from '../../../src/import/text/text-layout.ts';
import { DraftField } from '../ui/draft-field.tsx';
import { count } from './count.ts';
import type { Item } from './item.ts';
import type { OpenedTable } from './opened.ts';
import { reopenTable } from './queue.ts';

/** What is asked of a table of Parquet or JSON: its times, and columns that are left out. */
export function TableChoices({ item, found }: { item: Item; found: OpenedTable }) {
  const { timestamp, timeForm, skip } = found.settings;
  return (
    <>
      <div class="choices">
        <DraftField
          label="Time column"
          value={timestamp}
          onCommit={(name) => {
            if (name === '') return 'The name of the column with the time';
            reopenTable(item, { timestamp: name });
            return undefined;
          }}
        />
        <label>
          Time in
          <select
            value={timeForm ?? ''}
            onChange={({ currentTarget: { value } }) =>
              reopenTable(item, { timeForm: value === '' ? undefined : (value as TimeForm) })
            }
          >
            <option value="">as the file says</option>
            {Object.entries(timeFormText).map(([form, text]) => (
              <option key={form} value={form}>
                {text}
              </option>
            ))}
          </select>
        </label>
        <DraftField
          label="Left out, with commas between"
          value={skip.join(', ')}
          onCommit={(text) => {
            reopenTable(item, { skip: text.split(',').flatMap((name) => name.trim() || []) });
            return undefined;
          }}
        />
      </div>
      {found.table !== undefined && <Columns columns={found.table.columns} rows={found.table.rows} />}
    </>
  );
}

const uses = {
  timestamp: 'the time',
  numeric: 'numbers',
  string: 'text',
  binary: 'bytes',
  tag: 'a tag',
  empty: 'left out, being empty',
  ignored: 'left out',
  stream: 'the stream',
  topic: 'the topic',
} as const;

function Columns({ columns, rows }: Pick<Table, 'columns' | 'rows'>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <div class="scroll" tabIndex={0}>
      <table class="columns">
        <caption class="soft">{count(rows)}</caption>
        <thead>
          <tr>
            <th scope="col">Column</th>
            <th scope="col">becomes</th>
          </tr>
        </thead>
        <tbody>
          {columns.map(({ name, use }) => (
            <tr key={`${name} ${use}`}>
              <th scope="row">{name}</th>
              <td>{uses[use]}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
