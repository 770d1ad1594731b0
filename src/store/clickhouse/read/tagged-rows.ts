import type { Selection } from '../../../query/plan/plan.ts';
import { every, print, type Sql, sql } from '../server/sql.ts';
import { hasDeletes, reaching, type SeriesRange, windowValues } from '../server/window-sql.ts';
import { type NativeAnswerBlock, readNative } from './native-answer.ts';
import { oneSnapshot } from './read-settings.ts';
import type { RunContext } from './run-context.ts';
import { isShown, narrowed, type Retained, streamsInScope, timesOf } from './selection-sql.ts';
import { tagConditions } from './tag-sql.ts';

/**
 * What a statement answers of the tags of selected rows, events included.
 *
 * @param select FORMAT Native, of where the column `tags` is read
 */
export async function* tagBlocks(
  asked: Selection,
  { clickhouse, options, kept, countRows }: RunContext,
  select: (rows: Sql) => Sql,
): AsyncGenerator<NativeAnswerBlock> {
  const selection = narrowed(asked, kept);
  if (selection === undefined) return;
  const statement = print(select(taggedRows(selection, kept)));
  const settings = { ...options.settings, ...oneSnapshot };
  for await (const block of readNative(clickhouse.stream(statement, { ...options, settings }))) {
    countRows(block.rows);
    yield block;
  }
}

/**
 * Where the column `tags` of the selected rows is read. A row has the tags of each of its values, old ones too: nothing has
 * to be told apart for that.
 */
function taggedRows(selection: Selection, kept: Retained): Sql {
  const range: SeriesRange = { where: streamsInScope(selection), ...timesOf(selection, kept) };
  const isInside = sql`(first >= ${range.from} AND last <= ${range.to})`;
  const isTouched = hasDeletes(reaching(range));
  const whole = sql`SELECT topic, stream, arrayJoin(arrayDistinct(pieces.tags)) AS tags FROM windows
WHERE ${every([...reaching(range), isInside, sql`NOT ${isTouched}`])}`;
  const cut = sql`SELECT DISTINCT topic, stream, tags FROM (
  ${windowValues(range, sql`times`, [sql`(NOT ${isInside} OR ${isTouched})`])})`;
  return sql`(SELECT toLowCardinality(tags) AS tags FROM (${whole} UNION ALL ${cut})
WHERE ${every([isShown(selection), ...tagConditions(selection.tagFilters)])})`;
}
