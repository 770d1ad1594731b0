import type { TimeForm } from './cells.ts';
import type { ColumnFacts, FileFacts } from './inspect.ts';

/** What a column becomes. */
export type Role = 'time' | 'number' | 'text' | 'tag' | 'skip';

export const roles: readonly (readonly [Role, string])[] = [
  ['time', 'the time'],
  ['number', 'numbers'],
  ['text', 'text'],
  ['tag', 'a tag'],
  ['skip', 'left out'],
];

export interface MappedColumn {
  readonly header: string;
  /** Of the parameter or tag that it becomes. */
  readonly name: string;
  readonly role: Role;
}

/** Where the rows of a file go, and as what. */
export interface Mapping {
  readonly topic: string;
  readonly streamId: string;
  readonly columns: readonly MappedColumn[];
  readonly timeForm: TimeForm;
  /** Added to times that are numbers, ns. */
  readonly epoch: bigint;
}

/** What a file most likely means; a person looks at it before anything is written. */
export function guessMapping({ columns }: FileFacts, fileName: string, topic: string): Mapping {
  const time = timeColumn(columns);
  return {
    topic,
    streamId: fileName.replace(/\.[^.]*$/, '').trim() || 'imported',
    columns: columns.map((column, i) => ({
      header: column.header,
      name: column.header.replace(/^TAG__/, '') || column.header,
      role: i === time ? 'time' : roleOf(column),
    })),
    timeForm: time < 0 ? 'iso' : formOf(columns[time]!),
    epoch: 0n,
  };
}

/** What keeps a mapping from being used; undefined where nothing does. */
export function mappingProblem({ topic, streamId, columns }: Mapping): string | undefined {
  if (topic.trim() === '') return 'A topic is needed.';
  if (streamId.trim() === '') return 'The stream needs an id.';
  const times = columns.filter(({ role }) => role === 'time').length;
  if (times !== 1) return 'One column has to be the time.';
  if (!columns.some(({ role }) => role === 'number' || role === 'text'))
    return 'At least one column has to be numbers or text.';
  for (const roleNames of [['number'], ['text'], ['tag']]) {
    const names = columns.filter(({ role }) => roleNames.includes(role)).map(({ name }) => name.trim());
    if (names.includes('')) return 'Every column that is not left out needs a name.';
    const twice = names.find((name, i) => names.indexOf(name) !== i);
    if (twice !== undefined) return `Two columns are named ${twice}.`;
  }
  return undefined;
}

const timeNames = /^(time|timestamp|date|datetime|date.?time|time.?stamp|ts|utc|t)$/i;
const tagNames = /^(TAG__.*|lap|run|batch|session|driver|car|machine|device|phase)$/i;

/** Most cells tell what a column is; the others are faults that the survey names by their lines. */
const most = 0.8;

function timeColumn(columns: readonly ColumnFacts[]): number {
  const isMost = (cells: number, { numbers, texts }: ColumnFacts) =>
    cells > 0 && cells >= (numbers + texts) * most;
  // Units often follow a name: `Time (s)`, `time_ms`.
  const nameOf = ({ header }: ColumnFacts) => header.replace(/[ _]*[([]?(s|ms|us|µs|ns)?[)\]]?$/, '');
  const named = columns.findIndex(
    (column) =>
      (timeNames.test(column.header) || timeNames.test(nameOf(column))) &&
      (isMost(column.dates, column) || isMost(column.decimals, column)),
  );
  return named >= 0 ? named : columns.findIndex((column) => isMost(column.dates, column));
}

function formOf({ header, dates, sample }: ColumnFacts): TimeForm {
  if (dates > 0) return 'iso';
  const unit = /(?:^|[ _([])(s|ms|us|µs|ns)[)\]]?$/.exec(header)?.[1];
  if (unit !== undefined) return (unit === 'µs' ? 'us' : unit) as TimeForm;
  // Times of our days have so many digits in each unit.
  const size = Math.abs(Number(sample[0] ?? 0));
  if (size >= 1e17) return 'ns';
  if (size >= 1e14) return 'us';
  return size >= 1e11 ? 'ms' : 's';
}

function roleOf({ header, numbers, texts }: ColumnFacts): Role {
  if (numbers + texts === 0) return 'skip';
  if (tagNames.test(header)) return 'tag';
  return numbers >= (numbers + texts) * most ? 'number' : 'text';
}
