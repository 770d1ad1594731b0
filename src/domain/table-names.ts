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
 * numbers before strings before binaries, and the others have their kind after it: `Speed (string)`.
 */
export const timestampName = 'Timestamp';
export const tagPrefix = 'TAG__';

const kindWords = [
  [Kind.Numeric, 'number'],
  [Kind.String, 'string'],
  [Kind.Binary, 'binary'],
] as const;

export interface TableNames {
  /** Aligned with the columns of the shape. */
  readonly columns: readonly string[];
  /** Aligned with its groupBy. */
  readonly tags: readonly string[];
}

export function tableNames({ columns, groupBy }: ResultShape): TableNames {
  const tags = groupBy.map((tag) => tagPrefix + tag);
  const taken = new Set([timestampName, ...tags]);
  const names: string[] = [];
  for (const [kind, word] of kindWords) {
    columns.forEach((column, i) => {
      if (column.kind !== kind) return;
      let name = column.name;
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
  for (const [kind, word] of kindWords) {
    const suffix = ` (${word})`;
    const bare = column.slice(0, -suffix.length);
    if (column.endsWith(suffix) && columns.has(bare)) {
      return { name: parameterOfColumn(bare, columns).name, kind };
    }
  }
  return { name: column, kind: undefined };
}
