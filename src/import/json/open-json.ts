import type { FileBytes } from '../file-bytes.ts';
import type { TableOptions } from '../tables/name-columns.ts';
import { openTable, type Table } from '../tables/open-table.ts';
import type { TimeSettings } from '../tables/settle-time.ts';
import { TableFault } from '../tables/table-fault.ts';
import type { Cell, SourceColumn, TableSource } from '../tables/table-source.ts';
import { createTimeSurvey } from '../tables/time-facts.ts';
import { flattenRow } from './flat-row.ts';
import { rowsOfFrame } from './frames.ts';
import { parseElement, readElements } from './json-elements.ts';
import { isParameterData, openParameterData } from './parameter-data.ts';
import { describeJson, type JsonObject, type JsonValue } from './parse-json.ts';

/**
 * Looks at every row of a JSON file: an array of row objects, row objects one after the other (lines of JSON), one table as pandas
 * writes it, or parameter data as the service answers it. Whole numbers are exact.
 *
 *   [{ "Timestamp": int64, "Speed": number, "Note": string, "TAG__lap": string }, ...]
 *   { "Timestamp": int64, "Speed": number, ... }
 *   { "timestamps": [int64, ...], "numericValues": { ... }, "stringValues": { ... }, "binaryValues": { ... }, "tagValues": { ... } }
 *
 * Throws a TableFault that names row or element.
 */
export async function openJson(
  file: FileBytes,
  options: TableOptions,
  settings: TimeSettings,
): Promise<Table> {
  const elements: JsonValue[] = [];
  for await (const element of readElements(file)) {
    elements.push(parseElement(element));
    if (elements.length > 1) break;
  }
  const [first] = elements;
  if (first === undefined) throw new TableFault('it has no rows');
  if (isParameterData(first)) return openParameterData(file, options, settings);
  const frame = elements.length > 1 ? undefined : rowsOfFrame(first, options.timestamp);
  const objects = frame === undefined ? () => rowObjects(file) : () => numbered(frame);
  return openTable(await rowSource(objects, options, settings), options, settings);
}

type ReadObjects = () => AsyncGenerator<{ readonly number: number; readonly row: JsonObject }, void, void>;

async function* numbered(rows: readonly JsonObject[]): ReturnType<ReadObjects> {
  for (const [i, row] of rows.entries()) yield { number: i + 1, row };
}

async function* rowObjects(file: FileBytes): ReturnType<ReadObjects> {
  for await (const element of readElements(file)) {
    const row = parseElement(element);
    const { number } = element;
    if (!(row instanceof Map) || isParameterData(row)) {
      const what = row instanceof Map ? 'parameter data' : describeJson(row);
      const advice = Array.isArray(row) ? ': rows need names (pandas writes them with orient="records")' : '';
      throw new TableFault(`row ${number} is ${what}, not an object of cells${advice}`);
    }
    yield { number, row: row as JsonObject };
  }
}

/** Columns are all names that some row has. */
async function rowSource(
  objects: ReadObjects,
  { skip, timestamp }: TableOptions,
  { timeForm }: TimeSettings,
): Promise<TableSource> {
  const skipped = new Set(skip);
  const found = new Map<string, FoundColumn>();
  const outers = new Set<string>();
  const times = createTimeSurvey({ name: timestamp, ...untyped }, timeForm);
  let withoutTime: number | undefined;
  for await (const { number, row } of objects()) {
    let time: Cell = null;
    flattenRow(row, number, skipped, (name, cell, within) => {
      if (name === timestamp) time = cell;
      const one = found.get(name);
      if (one === undefined) {
        found.set(name, { within, hasCells: cell !== null });
        for (const outer of within) outers.add(outer);
      } else if (cell !== null) one.hasCells = true;
    });
    if (time === null) withoutTime ??= number;
    else times.see(time, number);
  }
  // An object that is null in some rows has no cell of its own.
  const kept = [...found].filter(([name, { hasCells }]) => hasCells || !outers.has(name));
  const columns = kept.map(([name, { within }]): SourceColumn => ({ name, within, ...untyped }));
  const places = new Map(columns.map(({ name }, i) => [name, i]));
  if (withoutTime !== undefined && places.has(timestamp))
    throw new TableFault(`row ${withoutTime}, column ${timestamp}: there is no timestamp`);
  return {
    columns,
    times: times.facts(),
    rows: () => readRows(objects, skipped, places),
  };
}

interface FoundColumn {
  readonly within: readonly string[];
  hasCells: boolean;
}

const untyped = { kind: 'plain', type: '' } as const;

async function* readRows(
  objects: ReadObjects,
  skipped: ReadonlySet<string>,
  places: ReadonlyMap<string, number>,
): AsyncGenerator<Cell[], void, void> {
  for await (const { number, row } of objects()) {
    const cells: Cell[] = new Array(places.size).fill(null);
    flattenRow(row, number, skipped, (name, cell) => {
      const at = places.get(name);
      if (at === undefined || cell === null) return;
      if (cells[at] !== null) throw new TableFault(`row ${number} has two values called ${name}`);
      cells[at] = cell;
    });
    yield cells;
  }
}
