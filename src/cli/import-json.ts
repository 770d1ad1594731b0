import { Kind } from '../domain/parameter-data.ts';
import { tagPrefix } from '../domain/table-names.ts';
import { PitwallError } from '../errors.ts';
import { describeValue, type JsonNumber, type JsonObject, type JsonValue } from '../wire/json-value.ts';
import { integer64OfDigits, integer64OfNumber } from '../wire/timestamp-text.ts';
import { decodeJson } from '../wire/value.ts';
import { CommandError } from './command.ts';
import {
  type Cell,
  type ColumnSurvey,
  createColumnSurvey,
  encodeCell,
  spelledNumbers,
  timestampDigits,
} from './import-cell.ts';
import {
  defaultTimestamp,
  type ImportOptions,
  type ImportTable,
  type NamedColumn,
  nameColumns,
  tagOfColumn,
  usedColumns,
} from './import-table.ts';
import { type JsonElement, readElements } from './json-elements.ts';
import { readTime } from './time.ts';

/**
 * Surveys a JSON file: an array of row objects, or parameter data as the service answers it (and takes it), or an
 * array of that. 64-bit integers are exact.
 *
 *   [{ "Timestamp": int64, "Speed": number, "Note": string, "TAG__lap": string }, ...]
 *   { "timestamps": [int64, ...], "numericValues": { ... }, "stringValues": { ... }, "binaryValues": { ... }, "tagValues": { ... } }
 *
 * Of row objects, columns are named and typed as those of a CSV file. Throws a CommandError that names row or element.
 */
export async function openJson(path: string, options: ImportOptions): Promise<ImportTable> {
  for await (const element of readElements(path)) {
    const first = parse(element);
    return isParameterData(first) ? openParameterData(path, options) : openRowObjects(path, options);
  }
  throw new CommandError(`${path} has no rows`);
}

async function* rowObjects(path: string): AsyncGenerator<{ number: number; row: JsonObject }, void, void> {
  for await (const element of readElements(path)) {
    const row = parse(element);
    if (!(row instanceof Map) || isParameterData(row)) {
      throw new CommandError(
        `row ${element.number} is ${row instanceof Map ? 'parameter data' : describeValue(row)}, not an object of cells`,
      );
    }
    yield { number: element.number, row };
  }
}

async function openRowObjects(path: string, options: ImportOptions): Promise<ImportTable> {
  const names = new Set<string>();
  for await (const { row } of rowObjects(path)) for (const name of row.keys()) names.add(name);
  const named = nameColumns([...names], options);
  const surveys = named.map(({ kind }) => createColumnSurvey(kind));
  let rows = 0;
  for await (const { number, row } of rowObjects(path)) {
    for (const [i, { column, role }] of named.entries()) {
      const place = (): string => `row ${number}, column ${column}`;
      const value = row.get(column) ?? null;
      if (role === 'timestamp') timeOf(value, place);
      else if (role === 'value') surveys[i]!.see(cellOf(value, place), place);
      else if (role !== 'ignored') textOf(value, role, place);
    }
    rows++;
  }
  const columns = usedColumns(named, surveys, options);
  return {
    columns,
    rows,
    notes: surveys.flatMap((survey) => survey.note() ?? []),
    async *read() {
      for await (const { number, row } of rowObjects(path)) {
        yield named.map(({ column }, i) => {
          const { use } = columns[i]!;
          const place = (): string => `row ${number}, column ${column}`;
          const value = row.get(column) ?? null;
          if (use === 'timestamp') return timeOf(value, place);
          if (use === 'tag' || use === 'stream' || use === 'topic')
            return encodeCell(textOf(value, use, place), use);
          return encodeCell(cellOf(value, place), use);
        });
      }
    },
  };
}

const groups = [
  ['numericValues', Kind.Numeric],
  ['stringValues', Kind.String],
  ['binaryValues', Kind.Binary],
  ['tagValues', undefined],
] as const;

interface GroupColumn extends NamedColumn {
  readonly group: (typeof groups)[number][0];
}

function keyOf({ group, name }: Pick<GroupColumn, 'group' | 'name'>): string {
  return `${group} ${name}`;
}

/** Parameter data say what each of their columns is. */
function checkOptions({ timestamp, tags, binaries, texts }: ImportOptions): void {
  const useless = [
    ['timestamp', timestamp !== defaultTimestamp],
    ['tags', tags.length > 0],
    ['binaries', binaries.length > 0],
    ['texts', texts.length > 0],
  ] as const;
  const found = useless.find(([, isGiven]) => isGiven);
  if (found !== undefined)
    throw new CommandError(
      `--${found[0]} has no meaning for parameter data, as the file holds: they say what is what`,
    );
}

async function openParameterData(path: string, options: ImportOptions): Promise<ImportTable> {
  checkOptions(options);
  const found = new Map<string, { column: GroupColumn; survey: ColumnSurvey }>();
  let rows = 0;
  for await (const { timestamps, columns, place } of pages(path)) {
    for (const { group, name, kind, values } of columns) {
      const key = keyOf({ group, name });
      let one = found.get(key);
      if (one === undefined) {
        const tag = kind === undefined ? tagOfColumn(tagPrefix + name, options) : undefined;
        const column = { column: name, name, role: tag?.role ?? 'value', kind, group } as const;
        one = { column, survey: createColumnSurvey(kind) };
        found.set(key, one);
      }
      const { role } = one.column;
      values.forEach((value, i) => {
        const at = (): string => `${place}, ${group}.${name}[${i}]`;
        if (role === 'value')
          one.survey.see(kind === Kind.Numeric ? cellOf(value, at) : textOrNull(value, at), at);
        else if (role !== 'ignored') textOf(value, role, at);
      });
    }
    rows += timestamps.length;
  }
  const named = [...found.values()].map(({ column }) => column);
  const surveys = [...found.values()].map(({ survey }) => survey);
  const columns = [
    { name: 'timestamps', use: 'timestamp' } as const,
    ...usedColumns(named, surveys, options),
  ];
  return {
    columns,
    rows,
    async *read() {
      for await (const page of pages(path)) {
        const byKey = new Map(page.columns.map((column) => [keyOf(column), column]));
        const given = named.map((column) => byKey.get(keyOf(column)));
        for (const [row, time] of page.timestamps.entries()) {
          yield [
            time,
            ...given.map((column, i) => {
              const cell = column === undefined ? null : cellOf(column.values[row]!, () => page.place);
              return encodeCell(cell, columns[i + 1]!.use);
            }),
          ];
        }
      }
    },
  };
}

interface Page {
  readonly place: string;
  /** As digits. */
  readonly timestamps: readonly string[];
  readonly columns: readonly {
    readonly group: GroupColumn['group'];
    readonly name: string;
    readonly kind: Kind | undefined;
    readonly values: readonly JsonValue[];
  }[];
}

async function* pages(path: string): AsyncGenerator<Page, void, void> {
  for await (const element of readElements(path)) {
    const place = `element ${element.number}`;
    const page = parse(element);
    if (!isParameterData(page)) throw new CommandError(`${place} has no timestamps`);
    const epoch = BigInt(timeOf(page.get('epoch') ?? zero, () => `${place}, epoch`));
    const timestamps = (page.get('timestamps') as readonly JsonValue[]).map((value, i) => {
      const at = (): string => `${place}, timestamps[${i}]`;
      return timestampDigits(String(epoch + BigInt(timeOf(value, at))), at);
    });
    const columns = groups.flatMap(([group, kind]) => {
      const members = page.get(group) ?? null;
      if (members === null) return [];
      if (!(members instanceof Map))
        throw new CommandError(`${place}, ${group} is ${describeValue(members)}, not an object`);
      return [...(members as JsonObject)].map(([name, values]) => {
        if (!Array.isArray(values) || values.length !== timestamps.length) {
          throw new CommandError(
            `${place}, ${group}.${name} is not an array of ${timestamps.length} values, one per timestamp`,
          );
        }
        return { group, name, kind, values: values as readonly JsonValue[] };
      });
    });
    yield { place, timestamps, columns };
  }
}

const zero: JsonNumber = { text: '0', value: 0 };

function parse({ number, bytes }: JsonElement): JsonValue {
  try {
    return decodeJson(bytes);
  } catch (error) {
    if (!(error instanceof PitwallError)) throw error;
    throw new CommandError(`element ${number}: ${error.message}`.replace(': The body ', ' '));
  }
}

function isParameterData(value: JsonValue): value is JsonObject {
  return value instanceof Map && Array.isArray(value.get('timestamps'));
}

function timeOf(value: JsonValue, place: () => string): string {
  try {
    if (isJsonNumber(value)) return String(integer64OfNumber(value.text, ''));
    if (typeof value === 'string' && /^-?\d+$/.test(value)) return String(integer64OfDigits(value, ''));
  } catch (error) {
    if (!(error instanceof PitwallError)) throw error;
    throw new CommandError(`${place()}: ${error.message.replace(/^The body /, '')}`);
  }
  if (typeof value === 'string') return String(readTime(value, place));
  throw new CommandError(`${place()}: there is no timestamp, but ${describeValue(value)}`);
}

/** Strings that stand for doubles are numbers here. */
function cellOf(value: JsonValue, place: () => string): Cell {
  if (value === null || isJsonNumber(value)) return value;
  if (typeof value === 'string') {
    return spelledNumbers.has(value) ? { text: value, value: Number(value) } : value;
  }
  if (typeof value === 'boolean') return { text: value ? '1' : '0', value: value ? 1 : 0 };
  throw new CommandError(`${place()} is ${describeValue(value)}; only flat rows can be loaded`);
}

function textOrNull(value: JsonValue, place: () => string): string | null {
  if (value === null || typeof value === 'string') return value;
  throw new CommandError(`${place()} is ${describeValue(value)}, not a string`);
}

function textOf(value: JsonValue, role: string, place: () => string): Cell {
  const cell = cellOf(value, place);
  if (cell === null && role !== 'tag') throw new CommandError(`${place()}: there is no ${role}`);
  return cell === null || typeof cell === 'string' ? cell : (cell as JsonNumber).text;
}

function isJsonNumber(value: JsonValue): value is JsonNumber {
  return typeof value === 'object' && value !== null && 'text' in value;
}
