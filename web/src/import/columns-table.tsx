import { timeOfCell } from '../../../src/import/text/cells.ts';
import type { ColumnFacts } from '../../../src/import/text/column-facts.ts';
import type { ColumnRole, TextColumn, TextLayout } from '../../../src/import/text/text-layout.ts';
import { timeText } from '../lines/time-text.ts';
import { count } from './count.ts';
import type { Item } from './item.ts';
import type { OpenedText } from './opened.ts';
import { reopen } from './queue.ts';

const roles: readonly (readonly [ColumnRole, string])[] = [
  ['time', 'the time'],
  ['number', 'numbers'],
  ['text', 'text'],
  ['tag', 'a tag'],
  ['skip', 'left out'],
];
/** What only the name of a column says. */
const named: Readonly<Partial<Record<ColumnRole, string>>> = {
  binary: 'bytes (base64)',
  stream: 'the stream',
  topic: 'the topic',
};

/** A line per column: what it becomes, what is in it, and its first cells as they will be read. */
export function ColumnsTable({ item, found }: { item: Item; found: OpenedText }) {
  const { layout, survey } = found.review;
  const change = (place: number, part: Partial<TextColumn>) => {
    // How another column says the time is guessed anew.
    if (part.role === 'time') {
      reopen(item, { time: layout.columns[place]!.header, timeForm: undefined });
      return;
    }
    const columns = layout.columns.map((column, i) => (i === place ? { ...column, ...part } : column));
    item.opened.value = { ...found, review: { ...found.review, layout: { ...layout, columns } } };
  };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <div class="scroll" tabIndex={0}>
      <table class="columns">
        <caption class="soft">{count(survey.rows)}</caption>
        <thead>
          <tr>
            <th scope="col">Column</th>
            <th scope="col">becomes</th>
            <th scope="col">named</th>
            <th scope="col">unit</th>
            <th scope="col">holds</th>
            <th scope="col">first cells</th>
          </tr>
        </thead>
        <tbody>
          {layout.columns.map((column, i) => (
            <Line
              key={column.header}
              column={column}
              facts={survey.facts[i]}
              layout={layout}
              place={i}
              change={change}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function rolesOf(role: ColumnRole): readonly (readonly [ColumnRole, string])[] {
  const text = named[role];
  return text === undefined ? roles : [...roles, [role, text]];
}

interface LineProps {
  readonly column: TextColumn;
  /** Undefined for a column that is not in the file: laps by beacons. */
  readonly facts: ColumnFacts | undefined;
  readonly layout: TextLayout;
  readonly place: number;
  readonly change: (place: number, part: Partial<TextColumn>) => void;
}

function Line({ column, facts, layout, place, change }: LineProps) {
  const { header, role, name, unit } = column;
  const isNamed = ['number', 'text', 'tag', 'binary'].includes(role);
  return (
    <tr>
      <th scope="row">{header}</th>
      <td>
        {role === 'day' ? (
          'the day'
        ) : (
          <select
            aria-label={`${header} becomes`}
            value={role === 'auto' ? 'skip' : role}
            onChange={(event) => change(place, { role: event.currentTarget.value as ColumnRole })}
          >
            {rolesOf(role)
              .filter(([key]) => facts !== undefined || key === 'tag' || key === 'skip')
              .map(([key, text]) => (
                <option key={key} value={key}>
                  {text}
                </option>
              ))}
          </select>
        )}
      </td>
      <td>
        {isNamed && (
          <input
            type="text"
            aria-label={`Name of ${header}`}
            value={name}
            onInput={(event) => change(place, { name: event.currentTarget.value })}
          />
        )}
      </td>
      <td>
        {role === 'number' && (
          <input
            type="text"
            class="unit"
            aria-label={`Unit of ${header}`}
            value={unit}
            onInput={(event) => change(place, { unit: event.currentTarget.value })}
          />
        )}
      </td>
      <td>{facts === undefined ? `${layout.beacons.length} ends of laps` : holds(facts)}</td>
      <td class="cells">{facts === undefined ? '' : firstCells(facts, role, layout)}</td>
    </tr>
  );
}

function holds({ counts: { number, text, missing, empty } }: ColumnFacts): string {
  const parts = [
    [number, number === 1 ? 'number' : 'numbers'],
    [text, text === 1 ? 'text' : 'texts'],
    [missing, 'without value'],
    [empty, 'empty'],
  ] as const;
  return parts
    .filter(([count]) => count > 0)
    .map(([count, noun]) => `${count.toLocaleString('en')} ${noun}`)
    .join(', ');
}

function firstCells(
  { sample }: ColumnFacts,
  role: ColumnRole,
  { timeForm, start, columns }: TextLayout,
): string {
  if (role !== 'time' || columns.some((column) => column.role === 'day')) return sample.join(', ');
  return sample
    .slice(0, 2)
    .map((cell) => {
      const time = timeOfCell(cell, timeForm, start);
      return time === undefined ? `${cell}: no time in this form` : timeText(time);
    })
    .join(', ');
}
