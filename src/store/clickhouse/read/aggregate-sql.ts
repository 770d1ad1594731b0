import type { AggregatePlan } from '../../../query/plan.ts';
import { extentsBy } from '../catalog/extents.ts';
import { inCodeUnits } from '../catalog/text-order.ts';
import { every, join, name, param, type Sql, sql } from '../server/sql.ts';
import { type SeriesRange, series } from '../server/window-sql.ts';
import { hasColumn, operandColumn } from './expression-sql.ts';
import {
  edges,
  groupedColumns,
  listForm,
  measureColumn,
  modeParts,
  type Question,
  rowForm,
} from './measures.ts';
import { type Meeting, operandRows } from './operand-rows.ts';
import {
  isShown,
  type Kept,
  ofParameters,
  selectedRows,
  selectedStreams,
  streamsInScope,
  timesOf,
} from './selection-sql.ts';
import { tagConditions, tagLiteral, tagOrder } from './tag-sql.ts';
import { fewValueLists, type ListNeeds, valueLists } from './value-lists.ts';

/** Topics whose spelling is not their folded name, folded to spelt: they are ordered as they are spelt. */
export type SpeltTopics = ReadonlyMap<string, string>;

/** Which tables have values of a question. */
export interface Source {
  readonly inSamples: boolean;
  readonly inWindows: boolean;
  /** Whether all values are to be told apart. */
  readonly isFew: boolean;
  /** Of a question that is calculated of several operands, which are in `samples`. */
  readonly meeting?: Meeting;
}

/**
 * One row per parameter, group and bucket with what the question asks. Columns: parameter, kind, the values of
 * `groupBy` (tags as JSON with quotes, empty where there is none), the bucket's number where there are buckets, the
 * time of the first row where the plan needs it, then the measures.
 */
export function selectGroups(
  plan: AggregatePlan,
  question: Question,
  kept: Kept,
  spelt: SpeltTopics,
  source: Source,
): Sql {
  const isOfSamples = !source.inWindows;
  const form = isOfSamples ? rowForm(question.hasTexts) : listForm;
  const { definitions, names } = groupKeys(
    plan,
    isOfSamples ? bucketOf(plan)?.(sql`timestamp`) : sql`bucket`,
  );
  const times = needsFirstTime(plan) ? [sql`${form.firstTime} AS m_time`] : [];
  const order = (time: Sql) => rowOrder(plan, spelt, time);
  const rows = isOfSamples
    ? askedRows(plan, question, kept, source.meeting)
    : askedLists(plan, question, kept, source);
  const grouped = sql`SELECT ${join([...definitions, ...times, ...groupedColumns(question, form, order)])}
FROM ${rows} GROUP BY ${join(names)}`;
  const parts = question.measures.includes('mode') ? sql`WITH ${modeParts} ` : sql``;
  const columns = [
    ...names,
    ...(needsFirstTime(plan) ? [sql`m_time`] : []),
    ...question.measures.map(measureColumn),
  ];
  return sql`${parts}SELECT ${join(columns)} FROM (${grouped}) FORMAT Native`;
}

/**
 * The same answer to a question of first and last values, by a third of the work: rows of one stream and tag set are
 * compared by time and version, so each need not be told apart from its older versions before; only the edges of these
 * are compared by the whole order. It groups by tag set, so where many rows have sets of their own it makes more groups
 * than there are in the answer.
 */
export function selectEdges(plan: AggregatePlan, question: Question, kept: Kept, spelt: SpeltTopics): Sql {
  const { definitions, names } = groupKeys(plan, bucketOf(plan)?.(sql`timestamp`));
  const compared = [...comparedKeys(plan), sql`tags`];
  const value = question.hasTexts ? sql`text` : sql`number`;
  const asked = edges.filter(({ measure }) => question.measures.includes(measure));
  const needsFirst = needsFirstTime(plan) || question.measures.includes('first');
  const inner = [
    ...(needsFirst ? [sql`min(timestamp) AS first_time`] : []),
    ...(question.measures.includes('last') ? [sql`max(timestamp) AS last_time`] : []),
    ...asked.map(
      ({ measure, pick, newest }) => sql`${pick}(${value}, ${newest}) AS ${name(`${measure}_value`)}`,
    ),
  ];
  const ofSets = sql`SELECT ${join([...definitions, ...compared, ...inner])}
FROM samples WHERE ${wantedRows(plan, question.parameters, kept)} GROUP BY ${join([...names, ...compared])}`;
  const outer = [
    ...(needsFirstTime(plan) ? [sql`min(first_time) AS m_time`] : []),
    ...asked.map(({ measure, pick }) => {
      const order = rowOrder(plan, spelt, name(`${measure}_time`));
      return sql`${pick}(${name(`${measure}_value`)}, ${order}) AS ${name(`m_${measure}`)}`;
    }),
  ];
  return sql`SELECT ${join([...names, ...outer])} FROM (${ofSets}) GROUP BY ${join(names)} FORMAT Native`;
}

/** What rows are grouped by, as columns with names, and the names. */
function groupKeys(
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

/** The rows of a question: those of the table, or with the number that is calculated of each. */
function askedRows(
  plan: AggregatePlan,
  { parameters, calculated }: Question,
  kept: Kept,
  meeting: Meeting | undefined,
): Sql {
  if (calculated === undefined) return sql`samples FINAL WHERE ${wantedRows(plan, parameters, kept)}`;
  const { operands, isThere, value } = calculated;
  const where = every([...selectedRows(plan, kept), ofParameters(operands)]);
  const row = sql`topic, stream, timestamp, tags`;
  const rows =
    meeting === undefined
      ? sql`SELECT ${row}, number AS ${operandColumn(0)} FROM samples FINAL WHERE ${where}`
      : operandRows(where, operands, meeting);
  const isWhole = meeting === undefined || meeting.isAligned;
  const needed = isWhole ? sql`true` : (isThere ?? every(operands.map((_, i) => hasColumn(i))));
  return sql`(SELECT toLowCardinality(${param(calculated.name, 'String')}) AS parameter, toInt8(0) AS kind, ${row}, ${value} AS number
FROM (${rows}) WHERE ${needed})`;
}

/** The lists of a question with their numbers, `reals`; or with the numbers that are calculated of each. */
function askedLists(plan: AggregatePlan, question: Question, kept: Kept, source: Source): Sql {
  const { parameters, calculated, hasTexts, measures } = question;
  const asked = calculated === undefined ? parameters.map((i) => plan.parameters[i]!) : calculated.operands;
  const edges = measures.filter((measure) => measure === 'first' || measure === 'last');
  const hasTags = plan.tagFilters.length > 0 || plan.groupBy.some(isTag);
  const isEdgesOnly = edges.length === measures.length && !hasTags && plan.buckets === undefined;
  const needs: ListNeeds = {
    hasTexts,
    // Of values of one time, the tags say which is the first.
    needsTags: hasTags || edges.length > 0 || needsFirstTime(plan),
    tagConditions: tagConditions(plan.tagFilters),
    bucketOf: bucketOf(plan),
    edges: isEdgesOnly ? (needsFirstTime(plan) ? ['first', 'last'] : edges) : undefined,
  };
  const range: SeriesRange = {
    where: [...streamsInScope(plan), ofParameters(asked)],
    ...timesOf(plan, kept),
  };
  const { isFew, inSamples } = source;
  const lists = isFew ? fewValueLists(range, needs, inSamples) : valueLists(range, needs, inSamples);
  const shown = sql`SELECT * FROM (${lists}) WHERE ${isShown(plan)}`;
  const reals = hasTexts ? sql`[]` : sql`arrayFilter(number -> NOT isNaN(number), list)`;
  if (calculated === undefined) return sql`(SELECT *, ${reals} AS reals FROM (${shown}))`;
  return sql`(SELECT * EXCEPT (operands, operand_name), ${reals} AS reals FROM (
  SELECT *, toLowCardinality(${param(calculated.name, 'String')}) AS parameter,
    arrayMap(${operandColumn(0)} -> ${calculated.value}, operands) AS list
  FROM (SELECT * EXCEPT (parameter, list), list AS operands, parameter AS operand_name FROM (${shown}))))`;
}

/** @param parameters indexes into the plan's */
function wantedRows(plan: AggregatePlan, parameters: readonly number[], kept: Kept): Sql {
  return every([...selectedRows(plan, kept), ofParameters(parameters.map((i) => plan.parameters[i]!))]);
}

/** `first` and `last` (ns) of all data of the streams that have data of the plan's parameters, and in its time. */
export function selectExtent(plan: AggregatePlan): Sql {
  const overlaps = sql`first <= ${param(plan.to, 'Int64')} AND last >= ${param(plan.from, 'Int64')}`;
  return sql`SELECT min(first), max(last) FROM (
  SELECT topic, stream, max(${ofParameters(plan.parameters)}) AS wanted, min(first) AS first, max(last) AS last
  FROM (${extentsBy(series, selectedStreams(plan))}) GROUP BY topic, stream)
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

/** Of a time the number of its bucket, floor(time / width): `intDiv` rounds towards zero. */
function bucketOf({ buckets }: AggregatePlan): ((time: Sql) => Sql) | undefined {
  if (buckets === undefined) return undefined;
  const divisor = param(buckets.width, 'Int64');
  return (time) =>
    sql`intDiv(${time}, ${divisor}) - toInt64(${time} < 0 AND modulo(${time}, ${divisor}) != 0)`;
}

function isTag(key: string): boolean {
  return key !== 'streamId' && key !== 'topic';
}

/** What puts the rows of a group in order: time, stream, topic, tags; what all have alike is left out. */
function rowOrder(plan: AggregatePlan, spelt: SpeltTopics, time: Sql): Sql {
  const parts = comparedKeys(plan).map((key) => inCodeUnits(key === topicKey ? speltTopic(spelt) : key));
  return sql`tuple(${join([time, ...parts, tagOrder()])})`;
}

const streamKey = sql`stream`;
const topicKey = sql`topic`;

/** In which of stream and topic rows of a group may differ. */
function comparedKeys({ streamIds, topic, groupBy }: AggregatePlan): Sql[] {
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
