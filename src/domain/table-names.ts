import { Kind } from './parameter-data.ts';
import type { ResultShape } from './result.ts';

/**
 * The names of columns where an answer is one table (CSV, Parquet, Arrow):
 *
 *   Timestamp      the time of the row, ns
 *   <name>         a parameter, as the answer names it: Speed, mean(Speed)
 *   TAG__<name>    a tag of groupBy
 *
 * A table has every name once. `Timestamp` and the tags keep theirs; of parameters with one name the first keeps it,
 * numbers before strings before binaries, and the others have their kind after it: `Speed (string)`. A parameter whose name would be
 * taken for something else, a tag (`TAG__x`) or another one with its kind, has its kind before it: `(number) TAG__x`.
 */
export const timestampName = 'Timestamp';
export const tagPrefix = 'TAG__';

const kindWords = [
  [Kind.Numeric, 'number'],
  [Kind.String, 'string'],
  [Kind.Binary, 'binary'],
] as const;

const kindsOfWords: ReadonlyMap<string, Kind> = new Map(kindWords.map(([kind, word]) => [word, kind]));
const behind = / \((?:number|string|binary)\)$/;
const before = /^\((number|string|binary)\) (.*)$/s;

/** Whether a column of this name would not be the parameter of this name, in a table with these others. */
function isMistaken(name: string, others: ReadonlySet<string>): boolean {
  if (name.startsWith(tagPrefix) || before.test(name)) return true;
  for (let bare = name; behind.test(bare); ) {
    bare = bare.replace(behind, '');
    if (others.has(bare)) return true;
  }
  return false;
}

export interface TableNames {
  /** Aligned with the columns of the shape. */
  readonly columns: readonly string[];
  /** Aligned with its groupBy. */
  readonly tags: readonly string[];
}

export function tableNames({ columns, groupBy }: ResultShape): TableNames {
  const tags = groupBy.map((tag) => tagPrefix + tag);
  const taken = new Set([timestampName, ...tags]);
  const given = new Set([...taken, ...columns.map(({ name }) => name)]);
  const names: string[] = [];
  for (const [kind, word] of kindWords) {
    columns.forEach((column, i) => {
      if (column.kind !== kind) return;
      let name = isMistaken(column.name, given) ? `(${word}) ${column.name}` : column.name;
      while (taken.has(name)) name += ` (${word})`;
      taken.add(name);
      names[i] = name;
    });
  }
  return { columns: names, tags };
}

/** A parameter of a table. */
export interface TableParameter {
  readonly name: string;
  /** What the name says of the kind; undefined where it says nothing. */
  readonly kind: Kind | undefined;
}

/** The parameter that the name of a column stands for: the way back. A kind counts only where the bare name is taken too. */
export function parameterOfColumn(column: string, columns: ReadonlySet<string>): TableParameter {
  const [, word = '', rest] = before.exec(column) ?? [];
  if (rest !== undefined && isMistaken(rest, columns)) return { name: rest, kind: kindsOfWords.get(word) };
  for (const [kind, word] of kindWords) {
    const suffix = ` (${word})`;
    const bare = column.slice(0, -suffix.length);
    if (column.endsWith(suffix) && columns.has(bare)) {
      return { name: parameterOfColumn(bare, columns).name, kind };
    }
  }
  return { name: column, kind: undefined };
}
