import { type Sql, sql } from './sql.ts';

/**
 * When came what a version of a row of `streams` stands for, in ns since the Unix epoch. `said` is the column that
 * says it of one version; of another one it says nothing: that came from a node or a time without leads.
 */
export function arrivalOf(version: Sql, said: Sql): Sql {
  return sql`if(tupleElement(${said}, 'version') = ${version}, tupleElement(${said}, 'at'), ${version})`;
}
