import type { AggregatePlan } from '../../../query/plan/plan.ts';
import { extentsBy } from '../catalog/extents.ts';
import { join, name, param, type Sql, sql } from '../server/sql.ts';
import { listsByBucket, type SeriesRange, series } from '../server/window-sql.ts';
import { operandColumn } from './expression-sql.ts';
import {
  bucketOf,
  groupKeys,
  hasTags,
  needsFirstTime,
  rowOrder,
  type SpeltTopics,
  seriesOrder,
} from './group-sql.ts';
import {
  asksEdgesOnly,
  asksSumsOnly,
  edges,
  groupedColumns,
  listForm,
  measureColumn,
  modeParts,
  type Question,
  summedForm,
} from './measures.ts';
import type { Meeting } from './meetings.ts';
import { operandLists } from './operand-lists.ts';
import { isShown, ofParameters, type Retained, selectedStreams, seriesRange } from './selection-sql.ts';
import { cleanSums, type SummedRows, summedRows } from './summed-rows.ts';
import { tagConditions } from './tag-sql.ts';
import { type ListNeeds, valueLists } from './value-lists.ts';
import { windowEdges } from './window-edges.ts';

/**
 * One row per parameter, group and bucket with what the question asks. Columns: parameter, kind, the values of
 * `groupBy` (tags as JSON with quotes, empty where there is none), the bucket's number where there are buckets, the
 * time of the first row where the plan needs it, then the measures.
 */
export function selectGroups(
  plan: AggregatePlan,
  question: Question,
  kept: Retained,
  spelt: SpeltTopics,
  meeting?: Meeting,
): Sql {
  const summed = askedSums(plan, question, kept);
  const form = summed === undefined ? listForm : summedForm;
  const { definitions, names } = groupKeys(plan, sql`bucket`);
  const times = needsFirstTime(plan) ? [sql`${form.firstTime} AS m_time`] : [];
  const order = (time: Sql) => rowOrder(plan, spelt, time);
  const rows = summed?.rows ?? askedLists(plan, question, kept, meeting);
  const grouped = sql`SELECT ${join([...definitions, ...times, ...groupedColumns(question, form, order)])}
FROM ${rows} GROUP BY ${join(names)}`;
  const named = question.measures.includes('mode') ? modeParts : summed?.named;
  const parts = named === undefined ? sql`` : sql`WITH ${named} `;
  const columns = [
    ...names,
    ...(needsFirstTime(plan) ? [sql`m_time`] : []),
    ...question.measures.map(measureColumn),
  ];
  return sql`${parts}SELECT ${join(columns)} FROM (${grouped}) FORMAT Native`;
}

/**
 * The same answer from what windows tell of the edges of numbers, without their values; undefined where the question needs these. The
 * statement may fail, see `windowEdges`.
 */
export function selectWindowEdges(
  plan: AggregatePlan,
  question: Question,
  kept: Retained,
  spelt: SpeltTopics,
): Sql | undefined {
  if (!asksEdgesOnly(question) || question.hasTexts || hasTags(plan) || plan.buckets !== undefined)
    return undefined;
  const { definitions, names } = groupKeys(plan, undefined);
  const asked = edges.filter(({ measure }) => question.measures.includes(measure));
  const needed = edges
    .map(({ measure }) => measure)
    .filter(
      (measure) => question.measures.includes(measure) || (measure === 'first' && needsFirstTime(plan)),
    );
  const columns = [
    ...(needsFirstTime(plan) ? [sql`min(first_time) AS m_time`] : []),
    ...asked.map(({ measure, pick }) => {
      const order = seriesOrder(plan, spelt, name(`${measure}_time`));
      return sql`${pick}(${name(`${measure}_value`)}, tuple(${join(order)})) AS ${name(`m_${measure}`)}`;
    }),
  ];
  const range = rangeOf(plan, question, kept);
  return sql`SELECT ${join([...definitions, ...columns])} FROM (${windowEdges(range, needed)})
WHERE ${isShown(plan)} GROUP BY ${join(names)} FORMAT Native`;
}

/**
 * A question of sums of windows that need not be told apart; undefined where it is none, or where windows may be cut. The
 * statement may fail, see `cleanSums`.
 */
export function selectCleanSums(plan: AggregatePlan, question: Question, kept: Retained): Sql | undefined {
  if (!asksSumsOnly(question) || hasTags(plan) || !endsWithBuckets(plan)) return undefined;
  const { definitions, names } = groupKeys(plan, sql`bucket`);
  const times = needsFirstTime(plan) ? [sql`${summedForm.firstTime} AS m_time`] : [];
  const columns = [...definitions, ...times, ...groupedColumns(question, summedForm, (time) => time)];
  const rows = cleanSums(rangeOf(plan, question, kept), bucketOf(plan));
  return sql`SELECT ${join(columns)} FROM (${rows}) WHERE ${isShown(plan)} GROUP BY ${join(names)} FORMAT Native`;
}

/** Whether a plan begins and ends where its buckets do, as far as it begins and ends. */
function endsWithBuckets({ hasFrom, hasTo, from, to, buckets }: AggregatePlan): boolean {
  if (buckets === undefined) return !hasFrom && !hasTo;
  const { width } = buckets;
  return (!hasFrom || from % width === 0n) && (!hasTo || (to + 1n) % width === 0n);
}

/** The sums that answer a question; undefined where its values are needed. */
function askedSums(plan: AggregatePlan, question: Question, kept: Retained): SummedRows | undefined {
  if (!asksSumsOnly(question) || hasTags(plan)) return undefined;
  const needs: ListNeeds = {
    hasTexts: false,
    // With tags lists have times.
    needsTags: needsFirstTime(plan),
    tagConditions: [],
    bucketOf: bucketOf(plan),
    edges: undefined,
  };
  const { named, rows } = summedRows(rangeOf(plan, question, kept), needs);
  return { named, rows: sql`(SELECT * FROM (${rows}) WHERE ${isShown(plan)})` };
}

/** What is read for a question. */
function rangeOf(plan: AggregatePlan, { parameters, calculated }: Question, kept: Retained): SeriesRange {
  const asked = calculated?.operands ?? parameters.map((i) => plan.parameters[i]!);
  return seriesRange({ ...plan, parameters: asked }, kept);
}

/** The lists of a question with their numbers, `reals`; or with the numbers that are calculated of each. */
function askedLists(
  plan: AggregatePlan,
  question: Question,
  kept: Retained,
  meeting: Meeting | undefined,
): Sql {
  const { calculated, hasTexts, measures } = question;
  const edges = measures.filter((measure) => measure === 'first' || measure === 'last');
  const isEdgesOnly = edges.length === measures.length && !hasTags(plan) && plan.buckets === undefined;
  const needs: ListNeeds = {
    hasTexts,
    // Of values of one time, the tags say which is the first.
    needsTags: hasTags(plan) || edges.length > 0 || needsFirstTime(plan),
    tagConditions: tagConditions(plan.tagFilters),
    bucketOf: bucketOf(plan),
    edges: isEdgesOnly ? (needsFirstTime(plan) ? ['first', 'last'] : edges) : undefined,
  };
  const range = rangeOf(plan, question, kept);
  const reals = hasTexts ? sql`[]` : sql`arrayFilter(number -> NOT isNaN(number), list)`;
  const shown = (lists: Sql) => sql`SELECT * FROM (${lists}) WHERE ${isShown(plan)}`;
  if (calculated === undefined)
    return sql`(SELECT *, ${reals} AS reals FROM (${shown(valueLists(range, needs))}))`;
  const calculatedName = sql`toLowCardinality(${param(calculated.name, 'String')}) AS parameter`;
  if (meeting === undefined)
    return sql`(SELECT * EXCEPT (operands, operand_name), ${reals} AS reals FROM (
  SELECT *, ${calculatedName}, arrayMap(${operandColumn(0)} -> ${calculated.value}, operands) AS list
  FROM (SELECT * EXCEPT (parameter, list), list AS operands, parameter AS operand_name FROM (${shown(valueLists(range, needs))}))))`;
  const width = param(meeting.width, 'Int64');
  const pieces = { ...needs, needsTags: true, bucketOf: (time: Sql) => sql`intDiv(${time}, ${width})` };
  const { operands, isThere, value } = calculated;
  const together = operandLists(
    shown(valueLists(range, pieces)),
    operands,
    { isThere, value },
    meeting.isAligned,
  );
  const bucket = bucketOf(plan);
  const rows = bucket === undefined ? together : listsByBucket(together, [sql`topic, stream, tags`], bucket);
  return sql`(SELECT *, ${calculatedName}, toInt8(0) AS kind, ${reals} AS reals FROM (${rows}))`;
}

/** `first` and `last` (ns) of all data of the streams that have data of the plan's parameters, and in its time. */
export function selectExtent(plan: AggregatePlan): Sql {
  const overlaps = sql`first <= ${param(plan.to, 'Int64')} AND last >= ${param(plan.from, 'Int64')}`;
  return sql`SELECT min(first), max(last) FROM (
  SELECT topic, stream, max(${ofParameters(plan.parameters)}) AS wanted, min(first) AS first, max(last) AS last
  FROM (${extentsBy(series, selectedStreams(plan))}) GROUP BY topic, stream)
WHERE wanted AND ${overlaps}`;
}
