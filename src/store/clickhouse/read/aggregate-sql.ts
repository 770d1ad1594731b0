import type { AggregatePlan } from '../../../query/plan.ts';
import { inCodeUnits } from '../catalog/text-order.ts';
import { every, join, name, param, type Sql, sql } from '../sql.ts';
import { groupedColumns, measureColumn, modeParts, type Question } from './measures.ts';
import { type Kept, ofParameters, selectedRows, selectedStreams } from './selection-sql.ts';
import { tagLiteral, tagOrder } from './tag-sql.ts';

/** Topics whose spelling is not their folded name, folded to spelt: they are ordered as they are spelt. */
export type SpeltTopics = ReadonlyMap<string, string>;

/**
 * One row per parameter, group and bucket with what the question asks. Columns: parameter, kind, the values of
 * `groupBy` (tags as JSON with quotes, empty where there is none), the bucket's number where there are buckets, the
 * time of the first row where the plan needs it, then the measures.
 */
export function selectGroups(plan: AggregatePlan, question: Question, kept: Kept, spelt: SpeltTopics): Sql {
  const keys = [
    sql`parameter AS k_parameter`,
    sql`CAST(kind, 'Int8') AS k_kind`,
    ...plan.groupBy.map((tag, i) => sql`${groupValue(tag)} AS ${groupName(i)}`),
    ...(plan.buckets === undefined ? [] : [sql`${bucketNumber(plan.buckets.width)} AS k_bucket`]),
  ];
  const keyNames = [
    sql`k_parameter`,
    sql`k_kind`,
    ...plan.groupBy.map((_, i) => groupName(i)),
    ...(plan.buckets === undefined ? [] : [sql`k_bucket`]),
  ];
  const times = needsFirstTime(plan) ? [sql`min(timestamp) AS m_time`] : [];
  const where = every([
    ...selectedRows(plan, kept),
    ofParameters(question.parameters.map((i) => plan.parameters[i]!)),
  ]);
  const grouped = sql`SELECT ${join([...keys, ...times, ...groupedColumns(question, rowOrder(plan, spelt))])}
FROM samples FINAL WHERE ${where} GROUP BY ${join(keyNames)}`;
  const parts = question.measures.includes('mode') ? sql`WITH ${modeParts} ` : sql``;
  const columns = [
    ...keyNames,
    ...(needsFirstTime(plan) ? [sql`m_time`] : []),
    ...question.measures.map(measureColumn),
  ];
  return sql`${parts}SELECT ${join(columns)} FROM (${grouped}) FORMAT Native`;
}

/** `first` and `last` (ns) of all data of the streams that have data of the plan's parameters, and in its time. */
export function selectExtent(plan: AggregatePlan): Sql {
  // By parameter, as the projection of `samples` has it.
  const byParameter = sql`SELECT topic, stream, parameter, kind, min(timestamp) AS first, max(timestamp) AS last
FROM samples WHERE ${every(selectedStreams(plan))} GROUP BY topic, stream, parameter, kind`;
  const overlaps = sql`first <= ${param(plan.to, 'Int64')} AND last >= ${param(plan.from, 'Int64')}`;
  return sql`SELECT min(first), max(last) FROM (
  SELECT topic, stream, max(${ofParameters(plan.parameters)}) AS wanted, min(first) AS first, max(last) AS last
  FROM (${byParameter}) GROUP BY topic, stream)
WHERE wanted AND ${overlaps}`;
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

function groupName(index: number): Sql {
  return name(`k_group_${index}`);
}

/** floor(timestamp / width): `intDiv` rounds towards zero. */
function bucketNumber(width: bigint): Sql {
  const divisor = param(width, 'Int64');
  return sql`intDiv(timestamp, ${divisor}) - toInt64(timestamp < 0 AND modulo(timestamp, ${divisor}) != 0)`;
}

/** What puts the rows of a group in order: time, stream, topic, tags; what all have alike is left out. */
function rowOrder({ streamIds, topic, groupBy }: AggregatePlan, spelt: SpeltTopics): Sql {
  const parts = [sql`timestamp`];
  if (streamIds?.length !== 1 && !groupBy.includes('streamId')) parts.push(inCodeUnits(sql`stream`));
  if (topic === undefined && !groupBy.includes('topic')) parts.push(inCodeUnits(speltTopic(spelt)));
  return sql`tuple(${join([...parts, tagOrder()])})`;
}

function speltTopic(spelt: SpeltTopics): Sql {
  if (spelt.size === 0) return sql`topic`;
  const folded = param([...spelt.keys()], 'Array(String)');
  return sql`transform(toString(topic), ${folded}, ${param([...spelt.values()], 'Array(String)')}, toString(topic))`;
}
