import { TableFault } from '../tables/table-fault.ts';
import type { NumberCell } from '../tables/table-source.ts';
import { isNumberCell, type JsonObject, type JsonValue } from './parse-json.ts';

/** What pandas calls the labels of rows that have no name; another name where a column has this one. */
function nameOfLabels(columns: ReadonlySet<string>): string {
  let name = 'index';
  for (let i = 2; columns.has(name); i++) name = `index (${i})`;
  return name;
}

/**
 * The row objects of a table that is one object, as pandas writes it with `orient` split, table, columns (its default) and index;
 * undefined for an object that is none. Labels of rows that are not simply numbered become the column `index`.
 * @param time the column with the time: it tells names of columns from labels of rows
 */
export function rowsOfFrame(value: JsonValue, time: string): JsonObject[] | undefined {
  if (!(value instanceof Map)) return undefined;
  const frame = value as JsonObject;
  const [columns, data, index] = [frame.get('columns'), frame.get('data'), frame.get('index')];
  if (Array.isArray(data)) {
    if (Array.isArray(columns)) return splitRows(columns as JsonValue[], data as JsonValue[], index);
    if (frame.get('schema') instanceof Map) return (data as JsonValue[]).map(objectOf);
  }
  const members = [...frame.values()];
  if (members.length === 0 || !members.every((member) => member instanceof Map)) return undefined;
  const inner = members as JsonObject[];
  const isByRow =
    !frame.has(time) &&
    (inner.every((row) => row.has(time)) || ([...frame.keys()].every(isLabel) && !inner.every(hasLabels)));
  return isByRow
    ? indexRows(frame as ReadonlyMap<string, JsonObject>)
    : columnRows(frame as ReadonlyMap<string, JsonObject>);
}

function splitRows(
  columns: readonly JsonValue[],
  data: readonly JsonValue[],
  index: JsonValue | undefined,
): JsonObject[] {
  const names = columns.map((name) => (isNumberCell(name) ? name.text : name));
  if (!names.every((name) => typeof name === 'string'))
    throw new TableFault('the columns of the table have names that are no texts');
  const twice = names.find((name, i) => names.indexOf(name) < i);
  if (twice !== undefined) throw new TableFault(`two columns are called ${twice as string}`);
  const labels = Array.isArray(index) ? labelsOf(index as JsonValue[]) : undefined;
  const labelName = nameOfLabels(new Set(names as string[]));
  return data.map((row, i) => {
    if (!Array.isArray(row) || row.length !== names.length)
      throw new TableFault(`row ${i + 1} of data is no array of ${names.length} values, one for each column`);
    const cells = new Map<string, JsonValue>(
      names.map((name, column) => [name as string, row[column] as JsonValue]),
    );
    if (labels !== undefined) cells.set(labelName, labels[i] ?? null);
    return cells;
  });
}

function indexRows(frame: ReadonlyMap<string, JsonObject>): JsonObject[] {
  const labels = labelsOf([...frame.keys()].map(labelCell));
  const rows = [...frame.values()];
  if (labels === undefined) return rows;
  const labelName = nameOfLabels(new Set(rows.flatMap((row) => [...row.keys()])));
  return rows.map((row, i) => new Map([...row, [labelName, labels[i]!]]));
}

function columnRows(frame: ReadonlyMap<string, JsonObject>): JsonObject[] {
  const rows = new Map<string, Map<string, JsonValue>>();
  for (const [name, cells] of frame) {
    for (const [label, cell] of cells) {
      const row = rows.get(label) ?? new Map<string, JsonValue>();
      if (row.size === 0) rows.set(label, row);
      row.set(name, cell);
    }
  }
  return indexRows(rows);
}

function isLabel(text: string): boolean {
  return /^-?\d+$/.test(text) || /^\d{4}-\d\d-\d\d/.test(text);
}

function hasLabels(cells: JsonObject): boolean {
  return [...cells.keys()].every(isLabel);
}

function labelCell(text: string): JsonValue {
  return /^-?\d{1,19}$/.test(text) ? { text, value: Number(text) } : text;
}

/** Undefined where rows are simply numbered. */
function labelsOf(labels: readonly JsonValue[]): readonly JsonValue[] | undefined {
  const isNumbered = labels.every((label, i) => isNumberCell(label) && (label as NumberCell).value === i);
  return isNumbered ? undefined : labels;
}

function objectOf(value: JsonValue, i: number): JsonObject {
  if (value instanceof Map) return value as JsonObject;
  throw new TableFault(`row ${i + 1} of data is no object`);
}
