import type { AggregatePlan } from '../../../query/plan.ts';
import { extentsBy } from '../catalog/extents.ts';
import { every, join, name, param, type Sql, sql } from '../server/sql.ts';
import { type SeriesRange, series } from '../server/window-sql.ts';
import { hasColumn, operandColumn } from './expression-sql.ts';
import {
  bucketOf,
  comparedKeys,
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
  rowForm,
  summedForm,
} from './measures.ts';
import { type Meeting, operandRows } from './operand-rows.ts';
import {
  isShown,
  type Kept,
  ofParameters,
  selectedRows,
  selectedStreams,
  seriesRange,
} from './selection-sql.ts';
import { cleanSums, type SummedRows, summedRows } from './summed-rows.ts';
import { tagConditions } from './tag-sql.ts';
import { type ListNeeds, valueLists } from './value-lists.ts';
import { windowEdges } from './window-edges.ts';

/** Which tables have values of a question. */
export interface Source {
  readonly inSamples: boolean;
  readonly inWindows: boolean;
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
  const summed = isOfSamples ? undefined : askedSums(plan, question, kept, source.inSamples);
  const form = isOfSamples ? rowForm(question.hasTexts) : summed === undefined ? listForm : summedForm;
  const { definitions, names } = groupKeys(
    plan,
    isOfSamples ? bucketOf(plan)?.(sql`timestamp`) : sql`bucket`,
  );
  const times = needsFirstTime(plan) ? [sql`${form.firstTime} AS m_time`] : [];
  const order = (time: Sql) => rowOrder(plan, spelt, time);
  const rows = isOfSamples
    ? askedRows(plan, question, kept, source.meeting)
    : (summed?.rows ?? askedLists(plan, question, kept, source.inSamples));
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

/**
 * The same from what windows tell of the edges of numbers, without their values; undefined where the question needs these. The
 * statement may fail, see `windowEdges`.
 */
export function selectWindowEdges(
  plan: AggregatePlan,
  question: Question,
  kept: Kept,
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
export function selectCleanSums(plan: AggregatePlan, question: Question, kept: Kept): Sql | undefined {
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
      : operandRows(where, operands, meeting, isThere === undefined);
  const isWhole = meeting === undefined || meeting.isAligned;
  const needed = isWhole ? sql`true` : (isThere ?? every(operands.map((_, i) => hasColumn(i))));
  return sql`(SELECT toLowCardinality(${param(calculated.name, 'String')}) AS parameter, toInt8(0) AS kind, ${row}, ${value} AS number
FROM (${rows}) WHERE ${needed})`;
}

/** The sums that answer a question; undefined where its values are needed. */
function askedSums(
  plan: AggregatePlan,
  question: Question,
  kept: Kept,
  inSamples: boolean,
): SummedRows | undefined {
  if (!asksSumsOnly(question) || hasTags(plan)) return undefined;
  const needs: ListNeeds = {
    hasTexts: false,
    // With tags lists have times.
    needsTags: needsFirstTime(plan),
    tagConditions: [],
    bucketOf: bucketOf(plan),
    edges: undefined,
  };
  const { named, rows } = summedRows(rangeOf(plan, question, kept), needs, inSamples);
  return { named, rows: sql`(SELECT * FROM (${rows}) WHERE ${isShown(plan)})` };
}

/** What is read for a question. */
function rangeOf(plan: AggregatePlan, { parameters, calculated }: Question, kept: Kept): SeriesRange {
  const asked = calculated?.operands ?? parameters.map((i) => plan.parameters[i]!);
  return seriesRange({ ...plan, parameters: asked }, kept);
}

/** The lists of a question with their numbers, `reals`; or with the numbers that are calculated of each. */
function askedLists(plan: AggregatePlan, question: Question, kept: Kept, inSamples: boolean): Sql {
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
  const lists = valueLists(rangeOf(plan, question, kept), needs, inSamples);
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
