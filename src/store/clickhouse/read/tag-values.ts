import { PitwallError } from '../../../errors.ts';
import type { Selection } from '../../../query/plan.ts';
import { type Sql, sql } from '../server/sql.ts';
import { valuesOf } from './native-answer.ts';
import type { RunContext } from './run.ts';
import { tagLiteral } from './tag-sql.ts';
import { tagBlocks } from './tagged-rows.ts';

/** Distinct values together take this at most, as in the embedded store. */
const maxBytes = 32 << 20;
/** What a value costs besides its text. */
const valueOverheadBytes = 64;

/** The distinct values of a tag on the selected rows, events included, in order of text. */
export async function tagValues(asked: Selection, tag: string, context: RunContext): Promise<string[]> {
  const select = (rows: Sql) =>
    sql`SELECT DISTINCT ${tagLiteral(tag)} AS value FROM ${rows} WHERE value != '' FORMAT Native`;
  const values = new Set<string>();
  let bytes = 0;
  for await (const block of tagBlocks(asked, context, select)) {
    for (const text of valuesOf(block, 0, 'keys').texts) {
      if (text === '') continue;
      const value = JSON.parse(text) as string;
      if (values.has(value)) continue;
      values.add(value);
      bytes += 2 * value.length + valueOverheadBytes;
      if (bytes > maxBytes) throw tooMany(tag);
    }
    await context.pace();
  }
  return [...values].sort();
}

function tooMany(tag: string): PitwallError {
  return new PitwallError('query_too_large', {
    detail: `the tag '${tag}' has too many values there; ask for fewer streams or a shorter time`,
  });
}
