import { Kind } from '../../domain/parameter-data.ts';
import { tagPrefix, timestampName } from '../../domain/table-names.ts';
import { isTimestamp } from '../../domain/timestamp.ts';
import type { FileBytes } from '../file-bytes.ts';
import { checkPlaces, type NamedColumn, type TableOptions, tagColumn } from '../tables/name-columns.ts';
import { spelledNumbers } from '../tables/numbers.ts';
import { surveyTable, type Table } from '../tables/open-table.ts';
import type { TimeSettings } from '../tables/settle-time.ts';
import { TableFault } from '../tables/table-fault.ts';
import type { Cell, SourceColumn, TableSource } from '../tables/table-source.ts';
import { timeOfCell } from '../text/cells.ts';
import { parseElement, readElements } from './json-elements.ts';
import { describeJson, isNumberCell, type JsonObject, type JsonValue } from './parse-json.ts';

export function isParameterData(value: JsonValue): value is JsonObject {
  return value instanceof Map && Array.isArray(value.get('timestamps'));
}

/** Looks at every row of a file of parameter data, one or several. Throws a TableFault that names the element. */
export async function openParameterData(
  file: FileBytes,
  options: TableOptions,
  settings: TimeSettings,
): Promise<Table> {
  checkOptions(options, settings);
  const found = new Map<string, { readonly source: SourceColumn; readonly named: NamedColumn }>();
  for await (const { columns } of pages(file)) {
    for (const { group, name, kind } of columns) {
      if (found.has(keyOf(group, name))) continue;
      const named: NamedColumn =
        kind === undefined ? tagColumn(tagPrefix + name, options) : { name, role: 'value', kind };
      found.set(keyOf(group, name), { source: { name, kind: 'plain', type: '' }, named });
    }
  }
  const named = [...found.values()].map((one) => one.named);
  checkPlaces(
    named.map(({ role }) => role),
    options,
  );
  const keys = [...found.keys()];
  const source: TableSource = {
    columns: [time, ...[...found.values()].map((one) => one.source)],
    rows: () => rowsOf(file, keys),
  };
  const timestamp = { name: timestampName, role: 'timestamp', kind: undefined } as const;
  return surveyTable(source, [timestamp, ...named], { timeForm: undefined, start: undefined });
}

const time: SourceColumn = { name: 'timestamps', kind: 'ns-moment', type: 'nanoseconds since 1970' };

/** Parameter data say what each of their columns is. */
function checkOptions(
  { timestamp, tags, binaries, texts, skip }: TableOptions,
  { timeForm, start }: TimeSettings,
): void {
  const useless = [
    ['timestamp', timestamp !== timestampName],
    ['tags', tags.length > 0],
    ['binaries', binaries.length > 0],
    ['texts', texts.length > 0],
    ['skip', skip.length > 0],
    ['time-format', timeForm !== undefined],
    ['start', start !== undefined],
  ] as const;
  const found = useless.find(([, isGiven]) => isGiven);
  if (found !== undefined)
    throw new TableFault(
      `--${found[0]} has no meaning for parameter data, as the file holds: they say what is what`,
    );
}

async function* rowsOf(file: FileBytes, keys: readonly string[]): AsyncGenerator<Cell[], void, void> {
  for await (const { timestamps, columns } of pages(file)) {
    const byKey = new Map(columns.map((column) => [keyOf(column.group, column.name), column]));
    const given = keys.map((key) => byKey.get(key)?.values);
    for (const [row, moment] of timestamps.entries())
      yield [moment, ...given.map((values) => values?.[row] ?? null)];
  }
}

const groups = [
  ['numericValues', Kind.Numeric],
  ['stringValues', Kind.String],
  ['binaryValues', Kind.Binary],
  ['tagValues', undefined],
] as const;

type Group = (typeof groups)[number][0];

function keyOf(group: Group, name: string): string {
  return `${group} ${name}`;
}

interface Page {
  /** ns since the Unix epoch. */
  readonly timestamps: readonly bigint[];
  readonly columns: readonly {
    readonly group: Group;
    readonly name: string;
    readonly kind: Kind | undefined;
    readonly values: readonly Cell[];
  }[];
}

async function* pages(file: FileBytes): AsyncGenerator<Page, void, void> {
  for await (const element of readElements(file)) {
    const place = `element ${element.number}`;
    const page = parseElement(element);
    if (!isParameterData(page)) throw new TableFault(`${place} has no timestamps`);
    const epoch = timeOf(page.get('epoch') ?? { text: '0', value: 0 }, () => `${place}, epoch`);
    const timestamps = (page.get('timestamps') as readonly JsonValue[]).map((value, i) => {
      const at = (): string => `${place}, timestamps[${i}]`;
      const moment = epoch + timeOf(value, at);
      if (!isTimestamp(moment))
        throw new TableFault(`${at()}: ${moment} is out of the range of 64-bit nanoseconds`);
      return moment;
    });
    const columns = groups.flatMap(([group, kind]) => {
      const members = page.get(group) ?? null;
      if (members === null) return [];
      if (!(members instanceof Map))
        throw new TableFault(`${place}, ${group} is ${describeJson(members)}, not an object`);
      return [...(members as JsonObject)].map(([name, values]) => {
        if (!Array.isArray(values) || values.length !== timestamps.length) {
          throw new TableFault(
            `${place}, ${group}.${name} is not an array of ${timestamps.length} values, one per timestamp`,
          );
        }
        const cells = (values as JsonValue[]).map((value, i) =>
          cellOf(value, kind, () => `${place}, ${group}.${name}[${i}]`),
        );
        return { group, name, kind, values: cells };
      });
    });
    yield { timestamps, columns };
  }
}

/** Digits of a whole number, or a time as ISO 8601. */
function timeOf(value: JsonValue, place: () => string): bigint {
  const text = isNumberCell(value) ? value.text : value;
  if (typeof text === 'string') {
    const moment = isWhole(text) ? timeOfCell(text, 'ns', 0n) : timeOfCell(text, 'iso', 0n);
    if (moment !== undefined) return moment;
    throw new TableFault(
      `${place()}: ${text} is no timestamp of whole nanoseconds in 64 bits, and no time as ISO 8601`,
    );
  }
  throw new TableFault(`${place()}: there is no timestamp, but ${describeJson(value)}`);
}

/** Also of those with decimals that are zeros, or with an exponent. */
function isWhole(text: string): boolean {
  const match = /^-?\d+(?:\.(\d+))?(?:[eE]([-+]?\d+))?$/.exec(text);
  if (match === null) return false;
  const [, fraction = '', exponent = '0'] = match;
  return Number(exponent) >= fraction.replace(/0+$/, '').length;
}

/** Strings of numbers that JSON cannot write are numbers where numbers are due. */
function cellOf(value: JsonValue, kind: Kind | undefined, place: () => string): Cell {
  if (value === null) return null;
  if (kind === Kind.Numeric) {
    if (isNumberCell(value)) return value;
    if (typeof value === 'boolean') return value ? 1 : 0;
    if (typeof value === 'string' && spelledNumbers.has(value)) return Number(value);
    throw new TableFault(`${place()} is ${describeJson(value)}, not a number`);
  }
  if (typeof value === 'string') return value;
  if (kind === undefined && isNumberCell(value)) return value;
  throw new TableFault(`${place()} is ${describeJson(value)}, not a string`);
}
