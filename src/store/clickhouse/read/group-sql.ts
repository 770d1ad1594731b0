import type { AggregatePlan } from '../../../query/plan/plan.ts';
import { inCodeUnits } from '../catalog/text-order.ts';
import { join, name, param, type Sql, sql } from '../server/sql.ts';
import { tagLiteral, tagOrder } from './tag-sql.ts';

// What rows of an aggregate are grouped by, and in which order they stand in a group.

/** Topics whose spelling is not their folded name, folded to spelt: they are ordered as they are spelt. */
export type SpeltTopics = ReadonlyMap<string, string>;

/** What rows are grouped by, as columns with names, and the names. */
export function groupKeys(
  { groupBy, buckets }: AggregatePlan,
  bucket: Sql | undefined,
): { definitions: Sql[]; names: Sql[] } {
  const keys: (readonly [definition: Sql, name: Sql])[] = [
    [sql`parameter`, sql`k_parameter`],
    [sql`CAST(kind, 'Int8')`, sql`k_kind`],
    ...groupBy.map((tag, i) => [groupValue(tag), name(`k_group_${i}`)] as const),
  ];
  if (buckets !== undefined) keys.push([bucket!, sql`k_bucket`]);
  return {
    definitions: keys.map(([definition, named]) => sql`${definition} AS ${named}`),
    names: keys.map(([, named]) => named),
  };
}

/** Whether something is asked that depends on the tags of values. */
export function hasTags({ tagFilters, groupBy }: AggregatePlan): boolean {
  return tagFilters.length > 0 || groupBy.some((key) => key !== 'streamId' && key !== 'topic');
}

/** Without buckets and `from`, a group is at its first row. */
export function needsFirstTime({ buckets, hasFrom }: AggregatePlan): boolean {
  return buckets === undefined && !hasFrom;
}

function groupValue(tag: string): Sql {
  if (tag === 'streamId') return sql`stream`;
  if (tag === 'topic') return sql`topic`;
  return tagLiteral(tag);
}

/** Of a time the number of its bucket, floor(time / width): `intDiv` rounds towards zero. */
export function bucketOf({ buckets }: AggregatePlan): ((time: Sql) => Sql) | undefined {
  if (buckets === undefined) return undefined;
  const divisor = param(buckets.width, 'Int64');
  return (time) =>
    sql`intDiv(${time}, ${divisor}) - toInt64(${time} < 0 AND modulo(${time}, ${divisor}) != 0)`;
}

/** What puts the rows of a group in order: time, stream, topic, tags; what all have alike is left out. */
export function rowOrder(plan: AggregatePlan, spelt: SpeltTopics, time: Sql): Sql {
  return sql`tuple(${join([...seriesOrder(plan, spelt, time), tagOrder()])})`;
}

/** The same without tags, as a list. */
export function seriesOrder(plan: AggregatePlan, spelt: SpeltTopics, time: Sql): Sql[] {
  const parts = comparedKeys(plan).map((key) => inCodeUnits(key === topicKey ? speltTopic(spelt) : key));
  return [time, ...parts];
}

const streamKey = sql`stream`;
const topicKey = sql`topic`;

/** In which of stream and topic rows of a group may differ. */
export function comparedKeys({ streamIds, topic, groupBy }: AggregatePlan): Sql[] {
  const keys: Sql[] = [];
  if (streamIds?.length !== 1 && !groupBy.includes('streamId')) keys.push(streamKey);
  if (topic === undefined && !groupBy.includes('topic')) keys.push(topicKey);
  return keys;
}

function speltTopic(spelt: SpeltTopics): Sql {
  if (spelt.size === 0) return sql`topic`;
  const folded = param([...spelt.keys()], 'Array(String)');
  return sql`transform(toString(topic), ${folded}, ${param([...spelt.values()], 'Array(String)')}, toString(topic))`;
}
