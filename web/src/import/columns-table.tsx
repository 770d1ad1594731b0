import { timeText } from '../look/time-text.ts';
import { timeOfCell } from './cells.ts';
import { facts, mapping } from './import-state.ts';
import type { ColumnFacts } from './inspect.ts';
import { type MappedColumn, type Mapping, type Role, roles } from './mapping.ts';

/** A line per column: what it becomes, what is in it, and its first cells as they will be read. */
export function ColumnsTable() {
  const meaning = mapping.value;
  const known = facts.value;
  if (meaning === undefined || known === undefined) return null;
  const change = (place: number, part: Partial<MappedColumn>) => {
    // There is one time: another column that was it is left out.
    const columns = meaning.columns.map((column, i) => {
      if (i === place) return { ...column, ...part };
      return part.role === 'time' && column.role === 'time' ? { ...column, role: 'skip' as const } : column;
    });
    mapping.value = { ...meaning, columns };
  };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <div class="scroll" tabIndex={0}>
      <table class="columns">
        <caption class="soft">
          {known.rows.toLocaleString('en')} {known.rows === 1 ? 'row' : 'rows'}
        </caption>
        <thead>
          <tr>
            <th scope="col">Column</th>
            <th scope="col">becomes</th>
            <th scope="col">named</th>
            <th scope="col">holds</th>
            <th scope="col">first cells</th>
          </tr>
        </thead>
        <tbody>
          {meaning.columns.map((column, i) => (
            <tr key={column.header}>
              <th scope="row">{column.header}</th>
              <td>
                <select
                  aria-label={`${column.header} becomes`}
                  value={column.role}
                  onChange={(event) => change(i, { role: event.currentTarget.value as Role })}
                >
                  {roles.map(([role, text]) => (
                    <option key={role} value={role}>
                      {text}
                    </option>
                  ))}
                </select>
              </td>
              <td>
                {column.role !== 'time' && column.role !== 'skip' && (
                  <input
                    type="text"
                    aria-label={`Name of ${column.header}`}
                    value={column.name}
                    onInput={(event) => change(i, { name: event.currentTarget.value })}
                  />
                )}
              </td>
              <td>{holds(known.columns[i]!)}</td>
              <td class="cells">{firstCells(known.columns[i]!, column.role, meaning)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function holds({ numbers, texts, dates, empty }: ColumnFacts): string {
  const parts = [
    [numbers, numbers === 1 ? 'number' : 'numbers'],
    [dates, dates === 1 ? 'time' : 'times'],
    [texts - dates, texts - dates === 1 ? 'text' : 'texts'],
    [empty, 'empty'],
  ] as const;
  return parts
    .filter(([count]) => count > 0)
    .map(([count, noun]) => `${count.toLocaleString('en')} ${noun}`)
    .join(', ');
}

function firstCells({ sample }: ColumnFacts, role: Role, { timeForm, epoch }: Mapping): string {
  if (role !== 'time') return sample.join(', ');
  return sample
    .slice(0, 2)
    .map((cell) => {
      const time = timeOfCell(cell, timeForm, epoch);
      return time === undefined ? `${cell}: no time in this form` : timeText(time);
    })
    .join(', ');
}
