import { timestampName } from '../../domain/table-names.ts';
import { type SeenTimes, TimeWatch } from '../same-time/watch-times.ts';
import { namesText } from '../text/text-layout.ts';
import { zoneOfName } from '../text/time-names.ts';
import { valueCell } from './cell-text.ts';
import { type ColumnSurvey, createColumnSurvey, type ValueUse } from './column-survey.ts';
import { FinerTimes } from './finer-times.ts';
import {
  checkPlaces,
  type NamedColumn,
  type NamedRole,
  nameColumns,
  type TableOptions,
} from './name-columns.ts';
import { timeReader } from './read-time.ts';
import { type SettledTime, settleTime, type TimeSettings } from './settle-time.ts';
import { TableFault } from './table-fault.ts';
import type { Cell, SourceColumn, TableSource } from './table-source.ts';
import { cellText, createTimeSurvey } from './time-facts.ts';

/** What a column becomes: empty ones are left out, ignored ones have no meaning here. */
export type TableUse = Exclude<NamedRole, 'value'> | ValueUse;

/** A table that was read once, from its first row to its last, and found good. */
export interface Table {
  /** Aligned with the cells of a row. */
  readonly columns: readonly { readonly name: string; readonly use: TableUse }[];
  readonly rows: number;
  readonly time: SettledTime;
  readonly times: SeenTimes;
  /** What was taken for granted, or was perhaps not meant. */
  readonly notes: readonly string[];
  /** Reads the file again; a time is a bigint of ns since the Unix epoch. Throws a TableFault or a FileFault. */
  read(): AsyncGenerator<Cell[], void, void>;
}

/**
 * Looks at every row of a source, so that what is wrong is known before the first one is written. A column is numbers if all of
 * its cells are and a double holds them, else text. Throws a TableFault that names row and column.
 */
export async function openTable(
  source: TableSource,
  options: TableOptions,
  settings: TimeSettings,
): Promise<Table> {
  const { columns } = source;
  const named = nameColumns(columns, options);
  checkPlaces(
    named.map(({ role }) => role),
    options,
  );
  return surveyTable(source, named, settings);
}

/** Opens a table of a source whose columns are known by more than their names. */
export async function surveyTable(
  source: TableSource,
  named: readonly NamedColumn[],
  settings: TimeSettings,
): Promise<Table> {
  const { columns } = source;
  const taken = named.map(({ role }) => role !== 'ignored');
  const at = named.findIndex(({ role }) => role === 'timestamp');
  const column = columns[at]!;
  // Numbers and texts tell only all together what they are; of a type that is a time only the start is open.
  const known = column.kind === 'plain' ? await settlePlain(source, at, settings) : undefined;
  const times = createTimeSurvey(column, settings.timeForm);
  const timeOf = timeReader(column, known ?? { form: 'ns', start: settings.start ?? 0n });
  const surveys = named.map(({ role, kind }, i): ColumnSurvey | undefined =>
    role === 'value' ? createColumnSurvey(columns[i]!.name, kind, columns[i]!.kind) : undefined,
  );
  const words = named.flatMap(({ role }, i) => (isWord(role) ? [i] : []));
  const isOfDay = isClock(column, known);
  const watch = new TimeWatch({
    apart: words,
    streams: words.filter((i) => named[i]!.role !== 'tag'),
    kind: isOfDay ? 'clock' : undefined,
  });
  const apart: Cell[] = [];
  const finer = known === undefined ? undefined : new FinerTimes(known.form);
  let rows = 0;
  for await (const cells of source.rows(taken)) {
    rows++;
    if (known === undefined) times.see(cells[at]!, rows);
    const moment = timeOf(cells[at]!);
    if (moment === undefined) throw outOfRange(column, rows);
    finer?.see(cells[at]!, rows);
    for (let i = 0; i < surveys.length; i++) surveys[i]?.see(cells[i]!, rows);
    for (const i of words) apart[i] = wordOf(cells[i]!, columns[i]!, named[i]!.role, rows);
    watch.see(moment, rows, apart);
  }
  const time = known ?? settleTime(column, times.facts(), settings);
  return {
    columns: named.map(({ name, role }, i) => ({
      name,
      use: role === 'value' ? surveys[i]!.use() : role,
    })),
    rows,
    time,
    times: watch.end(isOfDay ? 'clock' : time.isElapsed ? 'elapsed' : undefined),
    notes: [
      ...time.notes,
      ...localNotes(columns, named),
      ...(finer?.notes() ?? []),
      ...(source.notes ?? []),
      ...surveys.flatMap((survey) => survey?.notes() ?? []),
    ],
    async *read() {
      const timeOf = timeReader(column, time);
      const shown = named.flatMap(({ role }, i) =>
        role === 'value' && columns[i]!.kind !== 'plain' ? [i] : [],
      );
      let row = 0;
      for await (const cells of source.rows(taken)) {
        row++;
        const moment = timeOf(cells[at]!);
        if (moment === undefined) throw outOfRange(column, row);
        cells[at] = moment;
        for (const i of words) cells[i] = wordOf(cells[i]!, columns[i]!, named[i]!.role, row);
        for (const i of shown) cells[i] = valueCell(cells[i]!, columns[i]!.kind);
        yield cells;
      }
    },
  };
}

/** Names the columns of moments whose zone nothing says; an export of the service has its times so. */
function localNotes(columns: readonly SourceColumn[], named: readonly NamedColumn[]): string[] {
  const local = columns.filter(
    ({ name, kind, isLocal }, i) =>
      isLocal === true &&
      named[i]!.role !== 'ignored' &&
      zoneOfName(name) !== 'utc' &&
      !(name === timestampName && kind === 'ns-moment'),
  );
  return local.length === 0
    ? []
    : [`times without a zone, taken for UTC: ${namesText(local.map(({ name }) => name))}`];
}

/** Whether times are clocks, without a day. */
function isClock({ kind }: SourceColumn, known: SettledTime | undefined): boolean {
  return ['clock', 'utc-clock'].includes(kind) || known?.form === 'clock' || known?.form === 'hhmmss';
}

/** Looks at the times alone, unless the source has done it. */
async function settlePlain(source: TableSource, at: number, settings: TimeSettings): Promise<SettledTime> {
  const column = source.columns[at]!;
  if (source.times !== undefined) return settleTime(column, source.times, settings);
  const times = createTimeSurvey(column, settings.timeForm);
  let row = 0;
  for await (const cells of source.rows(source.columns.map((_, i) => i === at))) times.see(cells[at]!, ++row);
  return settleTime(column, times.facts(), settings);
}

function outOfRange({ name }: SourceColumn, row: number): TableFault {
  return new TableFault(`row ${row}, column ${name}: the time is out of the range of 64-bit nanoseconds`);
}

/** Columns of words: tags, and where rows go. */
function isWord(role: NamedRole): boolean {
  return role === 'tag' || role === 'stream' || role === 'topic';
}

function wordOf(cell: Cell, { name, kind }: SourceColumn, role: NamedRole, row: number): string | null {
  if (cell === null && role !== 'tag')
    throw new TableFault(`row ${row}, column ${name}: there is no ${role}`);
  if (cell === null || typeof cell === 'string') return cell;
  if (cell instanceof Uint8Array)
    throw new TableFault(`row ${row}, column ${name}: a ${role} is text, not bytes`);
  return typeof cell === 'number' && Object.is(cell, -0) ? '-0' : cellText(valueCell(cell, kind) as string);
}
