import type { TextColumn } from './text-layout.ts';

/** Whether the lines above a table are those of a .vbo file. */
export function isVbo(above: readonly string[]): boolean {
  return above.some((line) => /^\[column names\]/i.test(line.trim()));
}

const units: ReadonlyMap<string, string> = new Map([
  ['heading', '°'],
  ['height', 'm'],
]);
const suffixes: Readonly<Record<string, string>> = {
  kmh: 'km/h',
  'm/s': 'm/s',
  knots: 'kn',
  mph: 'mph',
  g: 'g',
};

/**
 * Columns of a .vbo file as Racelogic describes it: the section `[header]` has a line for each column, with a unit
 * behind some names. Latitude and longitude are minutes, longitude positive to the west: they become degrees, positive to the east.
 */
export function vboColumns(columns: TextColumn[], above: readonly string[]): TextColumn[] {
  const from = above.findIndex((line) => /^\[header\]/i.test(line.trim()));
  if (from < 0 || !isVbo(above)) return columns;
  const behind = above.slice(from + 1);
  const to = behind.findIndex((line) => line.trim().startsWith('['));
  const names = behind.slice(0, to < 0 ? undefined : to).filter((line) => line.trim() !== '');
  return columns.map((column, i) => {
    if (/^lat(?:itude)?$/i.test(column.name)) return { ...column, unit: '°', divisor: 60 };
    if (/^long?(?:itude)?$/i.test(column.name)) return { ...column, unit: '°', divisor: -60 };
    const name = names[i]?.trim().toLowerCase() ?? '';
    const suffix = Object.keys(suffixes).find((one) => name.endsWith(` ${one}`));
    const unit = suffix === undefined ? units.get(column.name.toLowerCase()) : suffixes[suffix];
    return unit === undefined || column.unit !== '' ? column : { ...column, unit };
  });
}
