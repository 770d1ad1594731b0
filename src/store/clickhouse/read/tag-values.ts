import { PitwallError } from '../../../errors.ts';
import type { Pace } from '../../../query/pace.ts';
import type { Selection } from '../../../query/plan.ts';
import type { CountRows } from '../../../query/running-queries.ts';
import type { ClickHouse, StatementOptions } from '../server/client.ts';
import { print, sql } from '../server/sql.ts';
import type { LookForWindows } from './held-tables.ts';
import { readNative, valuesOf } from './native-answer.ts';
import { oneSnapshot } from './read-settings.ts';
import { type Kept, narrowed } from './selection-sql.ts';
import { tagLiteral } from './tag-sql.ts';
import { taggedRows } from './tagged-rows.ts';

/** Distinct values together take this at most, as in the embedded store. */
const maxBytes = 32 << 20;
/** What a value costs besides its text. */
const valueOverheadBytes = 64;

export interface TagValuesContext {
  readonly clickhouse: ClickHouse;
  readonly options: StatementOptions;
  readonly kept: Kept;
  readonly hasWindows: LookForWindows;
  readonly pace: Pace;
  readonly countRows: CountRows;
}

/** The distinct values of a tag on the selected rows, events included, in order of text. */
export async function tagValues(asked: Selection, tag: string, context: TagValuesContext): Promise<string[]> {
  const { clickhouse, options, kept, pace, countRows } = context;
  const selection = narrowed(asked, kept);
  if (selection === undefined) return [];
  const hasWindows = await context.hasWindows(options);
  const rows = taggedRows(selection, kept, hasWindows);
  const settings = { ...options.settings, ...(hasWindows && oneSnapshot) };
  const statement = sql`SELECT DISTINCT ${tagLiteral(tag)} AS value FROM ${rows} WHERE value != '' FORMAT Native`;
  const values = new Set<string>();
  let bytes = 0;
  for await (const block of readNative(clickhouse.stream(print(statement), { ...options, settings }))) {
    countRows(block.rows);
    for (const text of valuesOf(block, 0, 'keys').texts) {
      if (text === '') continue;
      const value = JSON.parse(text) as string;
      if (values.has(value)) continue;
      values.add(value);
      bytes += 2 * value.length + valueOverheadBytes;
      if (bytes > maxBytes) throw tooMany(tag);
    }
    await pace();
  }
  return [...values].sort();
}

function tooMany(tag: string): PitwallError {
  return new PitwallError('query_too_large', {
    detail: `the tag '${tag}' has too many values there; ask for fewer streams or a shorter time`,
  });
}
