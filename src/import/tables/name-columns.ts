import { Kind } from '../../domain/parameter-data.ts';
import { parameterOfColumn, tagPrefix } from '../../domain/table-names.ts';
import { TableFault } from './table-fault.ts';
import type { SourceColumn } from './table-source.ts';

/** What somebody says of the columns of a table. */
export interface TableOptions {
  /** The column with the time. */
  readonly timestamp: string;
  readonly tags: readonly string[];
  /** Columns of base64, in files that cannot say so themselves. */
  readonly binaries: readonly string[];
  /** Columns that are text, also where cells are numbers. */
  readonly texts: readonly string[];
  /** Columns to leave out, by their names or by that of what they are part of. */
  readonly skip: readonly string[];
  /** Where rows go; undefined where each says so itself. */
  readonly topic: string | undefined;
  readonly stream: string | undefined;
}

export type NamedRole = 'timestamp' | 'stream' | 'topic' | 'tag' | 'ignored' | 'value';

/** A column by what its name says of it. */
export interface NamedColumn {
  /** Of the parameter or the tag. */
  readonly name: string;
  readonly role: NamedRole;
  /** What kind of parameter it must be, where the name or somebody says so. */
  readonly kind: Kind | undefined;
}

/**
 * Takes the names of a table for what an export gives them (see table-names). Throws a TableFault for names that the table does
 * not have, or has twice, and for columns that cannot be read.
 */
export function nameColumns(columns: readonly SourceColumn[], options: TableOptions): NamedColumn[] {
  const { timestamp, tags, binaries, texts, skip } = options;
  const names = columns.map(({ name }) => name);
  const taken = new Set(names);
  const known = new Set([...names, ...columns.flatMap(({ within = [] }) => within)]);
  const missing =
    [...tags, ...binaries, ...texts].find((name) => !taken.has(name)) ??
    skip.find((name) => !known.has(name));
  if (missing !== undefined)
    throw new TableFault(`there is no column ${missing}; the file has ${names.join(', ')}`);
  if (!taken.has(timestamp)) {
    throw new TableFault(
      `there is no column ${timestamp}; the file has ${names.join(', ')}; --timestamp names the one with the time`,
    );
  }
  const isSkipped = ({ name, within = [] }: SourceColumn): boolean =>
    skip.includes(name) || within.some((outer) => skip.includes(outer));
  const seen = new Set<string>();
  return columns.map((column) => {
    const { name, refusal } = column;
    if (isSkipped(column)) return { name, role: 'ignored', kind: undefined };
    if (refusal !== undefined)
      throw new TableFault(`the column ${name} ${refusal}; --skip ${listed(name)} leaves it out`);
    if (seen.has(name))
      throw new TableFault(`two columns are called ${name}; --skip ${listed(name)} leaves them out`);
    seen.add(name);
    if (name === timestamp) return { name, role: 'timestamp', kind: undefined };
    if (tags.includes(name)) return { name, role: 'tag', kind: undefined };
    const parameter = parameterOfColumn(name, taken);
    if (texts.includes(name)) return { ...parameter, role: 'value', kind: Kind.String };
    if (binaries.includes(name)) return { ...parameter, role: 'value', kind: Kind.Binary };
    if (name.startsWith(tagPrefix)) return tagColumn(name, options);
    return { ...parameter, role: 'value' };
  });
}

/** A name as lists of names on the command line have it. */
function listed(name: string): string {
  const text = name.replaceAll(',', '\\,');
  return /^[\w.[\]-]+$/.test(text) ? text : `'${text}'`;
}

/** `TAG__streamId` and `TAG__topic` are no tags: they say whose rows these were. */
export function tagColumn(
  column: string,
  { stream, topic }: Pick<TableOptions, 'stream' | 'topic'>,
): NamedColumn {
  const name = column.slice(tagPrefix.length);
  const placed = (given: string | undefined, role: 'stream' | 'topic'): NamedColumn => {
    return { name, role: given === undefined ? role : 'ignored', kind: undefined };
  };
  if (name === 'streamId') return placed(stream, 'stream');
  if (name === 'topic') return placed(topic, 'topic');
  return { name, role: 'tag', kind: undefined };
}

/** Throws a TableFault where rows do not know where to go. */
export function checkPlaces(roles: readonly string[], place: Pick<TableOptions, 'stream' | 'topic'>): void {
  for (const role of ['stream', 'topic'] as const) {
    if (place[role] !== undefined || roles.includes(role)) continue;
    const column = tagPrefix + (role === 'stream' ? 'streamId' : 'topic');
    throw new TableFault(`to which ${role}? --${role}, or a column ${column} in the file`);
  }
}
