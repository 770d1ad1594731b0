import { distinctValues } from '../../../query/groups/distinct-values.ts';
import type { Selection } from '../../../query/plan/plan.ts';
import { type Sql, sql } from '../server/sql.ts';
import { valuesOf } from './native-answer.ts';
import type { RunContext } from './run-context.ts';
import { tagLiteral } from './tag-sql.ts';
import { tagBlocks } from './tagged-rows.ts';

/** The distinct values of a tag on the selected rows, events included, in order of text. */
export async function tagValues(asked: Selection, tag: string, context: RunContext): Promise<string[]> {
  const select = (rows: Sql) =>
    sql`SELECT DISTINCT ${tagLiteral(tag)} AS value FROM ${rows} WHERE value != '' FORMAT Native`;
  const found = distinctValues(tag);
  for await (const block of tagBlocks(asked, context, select)) {
    for (const text of valuesOf(block, 0, 'keys').texts) {
      if (text !== '') found.add(JSON.parse(text) as string);
    }
    await context.pace();
  }
  return found.list();
}
