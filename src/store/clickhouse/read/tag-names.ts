import type { ListedTag } from '../../../domain/listing.ts';
import { distinctTags, mostValues } from '../../../query/groups/distinct-tags.ts';
import type { Selection } from '../../../query/plan/plan.ts';
import { literal, param, type Sql, sql } from '../server/sql.ts';
import { valuesOf } from './native-answer.ts';
import type { RunContext } from './run-context.ts';
import { tagPairs } from './tag-sql.ts';
import { tagBlocks } from './tagged-rows.ts';

/**
 * The tags of the selected rows, events included, in order of text. ClickHouse takes each distinct tag set apart once, and
 * gives so many values of a name as are counted.
 */
export async function tagNames(asked: Selection, context: RunContext): Promise<ListedTag[]> {
  const select = (
    rows: Sql,
  ) => sql`SELECT toLowCardinality(pair[1]) AS name, toLowCardinality(pair[2]) AS value
FROM (SELECT DISTINCT tags FROM ${rows} WHERE tags != ${literal('[]')})
ARRAY JOIN ${tagPairs()} AS pair
GROUP BY name, value LIMIT ${param(BigInt(mostValues), 'UInt64')} BY name FORMAT Native`;
  const found = distinctTags();
  for await (const block of tagBlocks(asked, context, select)) {
    const names = valuesOf(block, 0, 'keys');
    const values = valuesOf(block, 1, 'keys');
    const texts = [names, values].map((keys) => keys.texts.map(parsed));
    for (let row = 0; row < block.rows; row++) {
      found.add(texts[0]![names.index[row]!]!, texts[1]![values.index[row]!]!);
      const turn = context.pace();
      if (turn !== undefined) await turn;
    }
  }
  return found.list();
}

/** A dictionary may have an empty text that no row has. */
function parsed(json: string): string {
  return json === '' ? '' : (JSON.parse(json) as string);
}
