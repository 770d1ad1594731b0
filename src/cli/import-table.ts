import { Kind } from '../domain/parameter-data.ts';
import { parameterOfColumn, tagPrefix, timestampName } from '../domain/table-names.ts';
import { CommandError } from './command.ts';
import type { ColumnSurvey, ColumnUse } from './import-cell.ts';

export interface ImportColumn {
  /** Of the parameter or the tag. */
  readonly name: string;
  readonly use: ColumnUse;
}

/** A file that was read once, from its first row to its last, and found good. */
export interface ImportTable {
  readonly columns: readonly ImportColumn[];
  readonly rows: number;
  /** What was perhaps not meant. */
  readonly notes?: readonly string[];
  /**
   * Reads the file again: the cells of each row as JSON, aligned with the columns, `null` where there is none;
   * a timestamp as its digits.
   */
  read(): AsyncIterable<readonly string[]>;
}

/** What the command line says of the columns. */
export interface ImportOptions {
  readonly timestamp: string;
  readonly tags: readonly string[];
  /** Columns of base64, in files that cannot say so themselves. */
  readonly binaries: readonly string[];
  /** Columns that are text, also where cells are numbers. */
  readonly texts: readonly string[];
  /** Where rows go; undefined where each says so itself. */
  readonly topic: string | undefined;
  readonly stream: string | undefined;
}

export type ColumnRole = Extract<ColumnUse, 'timestamp' | 'stream' | 'topic' | 'tag' | 'ignored'> | 'value';

/** A column by what its name says of it. */
export interface NamedColumn {
  readonly column: string;
  /** Of the parameter or the tag. */
  readonly name: string;
  readonly role: ColumnRole;
  /** What kind of parameter it must be, where the name or the command line says so. */
  readonly kind: Kind | undefined;
}

/** Takes the names of a table for what an export gives them (see table-names). Throws a CommandError. */
export function nameColumns(columns: readonly string[], options: ImportOptions): NamedColumn[] {
  const taken = new Set(columns);
  for (const name of [options.timestamp, ...options.tags, ...options.binaries, ...options.texts]) {
    if (!taken.has(name)) {
      throw new CommandError(`there is no column ${name}; the file has ${columns.join(', ')}`);
    }
  }
  return columns.map((column) => {
    if (column === options.timestamp) return { column, name: column, role: 'timestamp', kind: undefined };
    if (options.tags.includes(column)) return { column, name: column, role: 'tag', kind: undefined };
    const { name, kind } = parameterOfColumn(column, taken);
    if (options.texts.includes(column)) return { column, name, role: 'value', kind: Kind.String };
    if (options.binaries.includes(column)) return { column, name, role: 'value', kind: Kind.Binary };
    if (column.startsWith(tagPrefix)) return tagOfColumn(column, options);
    return { column, name, role: 'value', kind };
  });
}

/** `TAG__streamId` and `TAG__topic` are no tags: they say whose rows these were. */
export function tagOfColumn(column: string, { stream, topic }: ImportOptions): NamedColumn {
  const name = column.slice(tagPrefix.length);
  const placed = (given: string | undefined, role: 'stream' | 'topic'): NamedColumn => {
    return { column, name, role: given === undefined ? role : 'ignored', kind: undefined };
  };
  if (name === 'streamId') return placed(stream, 'stream');
  if (name === 'topic') return placed(topic, 'topic');
  return { column, name, role: 'tag', kind: undefined };
}

/** The columns after the last row. Throws a CommandError where rows do not know where to go. */
export function usedColumns(
  columns: readonly NamedColumn[],
  surveys: readonly ColumnSurvey[],
  options: ImportOptions,
): ImportColumn[] {
  checkPlaces(
    columns.map(({ role }) => role),
    options,
  );
  return columns.map(({ name, role }, i) => ({
    name,
    use: role === 'value' ? surveys[i]!.use() : role,
  }));
}

/** Where rows go; undefined where each says so itself. */
export type TablePlace = Pick<ImportOptions, 'topic' | 'stream'>;

/** Throws a CommandError where rows do not know where to go. */
export function checkPlaces(roles: readonly string[], place: TablePlace): void {
  for (const role of ['stream', 'topic'] as const) {
    if (place[role] !== undefined || roles.includes(role)) continue;
    const column = tagPrefix + (role === 'stream' ? 'streamId' : 'topic');
    throw new CommandError(`to which ${role}? --${role}, or a column ${column} in the file`);
  }
}

export const defaultTimestamp = timestampName;

/** Where rows are, in words. */
export function placeText({ topic, stream }: TablePlace): string {
  const where = topic === undefined ? 'the topics of column TAG__topic' : `topic ${topic}`;
  return `${where}, ${stream === undefined ? 'the streams of column TAG__streamId' : `stream ${stream}`}`;
}

/** What the columns became, in words. */
export function columnsText(columns: readonly ImportColumn[]): string {
  const named = (use: ImportColumn['use']): string[] =>
    columns.filter((column) => column.use === use).map(({ name }) => name);
  const binaries = named('binary').length;
  const kinds = [`${named('numeric').length} numeric`, `${named('string').length} string`];
  if (binaries > 0) kinds.push(`${binaries} binary`);
  const parts = [`${kinds.slice(0, -1).join(', ')} and ${kinds.at(-1)!} columns`];
  if (named('tag').length > 0) parts.push(`tags ${named('tag').join(', ')}`);
  if (named('empty').length > 0) parts.push(`left out, being empty: ${named('empty').join(', ')}`);
  return parts.join('; ');
}
