import { Kind } from '../../domain/parameter-data.ts';
import {
  aggregations,
  interpolations,
  type RequestedParameter,
  type TimeBuckets,
  textAggregations,
} from '../../domain/query.ts';
import type { CalculatingQuery, RequestedCalculation } from '../../expression/calculation.ts';
import { fault } from '../base/fault.ts';
import { checkName, excerpt, maxNameBytes } from '../base/name.ts';
import { propertyNames } from '../base/property-names.ts';
import { type MemoryShare, queryLimits } from '../json/json-memory.ts';
import { decodeBody } from '../json/value.ts';
import { expression } from './expression.ts';
import {
  defined,
  flag,
  integer64,
  integerFrom,
  listOf,
  oneOf,
  type Read,
  readFields,
  text,
} from './fields.ts';
import { groupByTags } from './group-by.ts';
import { tagFilter } from './tag-filter.ts';

/**
 * The body of `/parameters/data` (contract, sections 4 and 10). All fields are optional but one parameter is needed:
 *
 *   numericParameters, stringParameters, binaryParameters
 *                  [{ parameterName: string, aggregationType?: None | Mean | ... in any case }, ...]
 *                  either all or none of them have an aggregation other than None
 *   calculatedParameters
 *                  [{ name: string, expression: string, aggregationType? }, ...], at most 100; names of columns are
 *                  distinct
 *   from, to       int64                  ns, both inclusive
 *   streamIds      [string, ...]          topic  string
 *   tagFilters     tag-filter.ts          all of them must hold
 *   groupBy        [tag name, ...]        also the pseudo-tags streamId and topic
 *   groupByTime    { timeBucketDuration: int64 from 1, ns, interpolationType?: None | Linear | Null | Previous | Zero in
 *                  any case, lookBack?: boolean, true only with Previous }
 *                                         only with aggregations
 *   limit          integer from 1         order  Asc | Desc in any case
 *   cursor         string                 from the header Pitwall-Next-Cursor
 */
const queryFields = propertyNames([
  'numericParameters',
  'stringParameters',
  'binaryParameters',
  'calculatedParameters',
  'writtenOnly',
  'from',
  'to',
  'streamIds',
  'topic',
  'tagFilters',
  'groupBy',
  'groupByTime',
  'limit',
  'order',
  'cursor',
]);
const parameterFields = propertyNames(['parameterName', 'aggregationType']);
const calculatedFields = propertyNames(['name', 'expression', 'aggregationType']);
const bucketFields = propertyNames(['timeBucketDuration', 'interpolationType', 'lookBack']);

/** A requested parameter and where the body has it. */
type Placed = RequestedParameter & { readonly path: string };
type PlacedCalculation = RequestedCalculation & { readonly kind: typeof Kind.Numeric; readonly path: string };

/** The most calculated parameters in one query. */
const maxCalculated = 100;

export function decodeParameterDataQuery(body: Uint8Array, share?: MemoryShare): CalculatingQuery {
  const fields = readFields(decodeBody(body, queryLimits, undefined, share), queryFields, '');
  const placed: Placed[] = parameterLists.flatMap(([name, read]) => fields.get(name, read) ?? []);
  const calculated = fields.get('calculatedParameters', calculations) ?? [];
  if (placed.length === 0 && calculated.length === 0) {
    throw fault(
      'missing_property',
      '',
      'must name a parameter in numericParameters, stringParameters, binaryParameters or calculatedParameters',
    );
  }
  const groupByTime = fields.get('groupByTime', timeBuckets);
  checkAggregations([...placed, ...calculated], groupByTime);
  checkColumnNames(placed, calculated);
  const from = fields.get('from', integer64);
  const to = fields.get('to', integer64);
  if (from !== undefined && to !== undefined && from > to) {
    throw fault('invalid_value', 'from', `is after to: ${from} > ${to}`);
  }
  return {
    parameters: placed.map(({ kind, name, aggregation }) => ({ kind, name, aggregation })),
    ...defined({
      writtenOnly: fields.get('writtenOnly', flag),
      calculated: calculated.length === 0 ? undefined : calculated.map(withoutPlace),
      from,
      to,
      streamIds: fields.get('streamIds', texts),
      topic: fields.get('topic', text),
      tagFilters: fields.get('tagFilters', tagFilters),
      groupBy: fields.get('groupBy', groupByTags),
      groupByTime,
      limit: fields.get('limit', positive),
      order: fields.get('order', direction),
      cursor: fields.get('cursor', text),
    }),
  };
}

function requested(kind: Kind): Read<Placed> {
  return (value, path) => {
    const fields = readFields(value, parameterFields, path);
    const name = fields.require('parameterName', (given, at) => checkName(text(given, at), at, maxNameBytes));
    const aggregation = fields.get('aggregationType', aggregationType) ?? 'None';
    if (kind !== Kind.Numeric && !textAggregations.includes(aggregation)) {
      const what = kind === Kind.String ? 'a string' : 'a binary';
      throw fault(
        'invalid_value',
        `${path}.aggregationType`,
        `must be one of ${textAggregations.join(', ')} for ${what} parameter, not ${aggregation}`,
      );
    }
    return { kind, name, aggregation, path };
  };
}

const calculations: Read<readonly PlacedCalculation[]> = (value, path) => {
  const all = listOfCalculations(value, path) ?? [];
  if (all.length <= maxCalculated) return all;
  throw fault('invalid_value', path, `has ${all.length} entries, and ${maxCalculated} are allowed`);
};

const calculation: Read<PlacedCalculation> = (value, path) => {
  const fields = readFields(value, calculatedFields, path);
  return {
    kind: Kind.Numeric,
    name: fields.require('name', (given, at) => checkName(text(given, at), at, maxNameBytes)),
    expression: fields.require('expression', expression),
    aggregation: fields.get('aggregationType', aggregationType) ?? 'None',
    path,
  };
};

function withoutPlace({ name, expression, aggregation }: PlacedCalculation): RequestedCalculation {
  return { name, expression, aggregation };
}

/** A calculated column stands in `numericValues` beside the others. */
function checkColumnNames(placed: readonly Placed[], calculated: readonly PlacedCalculation[]): void {
  if (calculated.length === 0) return;
  const names = new Map<string, string>();
  for (const one of placed) {
    const isNumeric = one.kind === Kind.Numeric || one.aggregation === 'Count';
    if (isNumeric) names.set(columnName(one), one.path);
  }
  for (const one of calculated) {
    const name = columnName(one);
    const other = names.get(name);
    if (other !== undefined) {
      throw fault(
        'invalid_value',
        `${one.path}.name`,
        `makes a second column of the name ${JSON.stringify(name)}, which ${other} has`,
      );
    }
    names.set(name, one.path);
  }
}

function columnName({ name, aggregation }: Placed | PlacedCalculation): string {
  return aggregation === 'None' ? name : `${aggregation.toLowerCase()}(${name})`;
}

/** Rows are either as they were written or aggregated: one answer can't be both. */
function checkAggregations(
  placed: readonly (Placed | PlacedCalculation)[],
  groupByTime: TimeBuckets | undefined,
): void {
  const raw = placed.find(({ aggregation }) => aggregation === 'None');
  const aggregated = placed.find(({ aggregation }) => aggregation !== 'None');
  if (raw !== undefined && aggregated !== undefined) {
    throw fault(
      'invalid_value',
      `${raw.path}.aggregationType`,
      `must be an aggregation, as ${aggregated.path} has one: one answer has raw or aggregated parameters, not both`,
    );
  }
  if (raw !== undefined && groupByTime !== undefined) {
    throw fault(
      'invalid_value',
      'groupByTime',
      `needs an aggregationType on every parameter, and ${raw.path} (${excerpt(raw.name)}) has none`,
    );
  }
}

// Made once, not for every query.
const parameterLists = [
  ['numericParameters', listOf(requested(Kind.Numeric))],
  ['stringParameters', listOf(requested(Kind.String))],
  ['binaryParameters', listOf(requested(Kind.Binary))],
] as const;
const listOfCalculations = listOf(calculation);
const texts = listOf(text);
const tagFilters = listOf(tagFilter);
const positive = integerFrom(1);
const direction = oneOf(['Asc', 'Desc']);
const aggregationType = oneOf(aggregations);
const interpolationType = oneOf(interpolations);

const timeBuckets: Read<TimeBuckets> = (value, path) => {
  const fields = readFields(value, bucketFields, path);
  const interpolation = fields.get('interpolationType', interpolationType) ?? 'None';
  const lookBack = fields.get('lookBack', flag) ?? false;
  if (lookBack && interpolation !== 'Previous')
    throw fault('invalid_value', `${path}.lookBack`, 'has a meaning with interpolationType Previous only');
  return {
    width: fields.require('timeBucketDuration', (given, at) => {
      const width = integer64(given, at);
      if (width > 0n) return width;
      throw fault('invalid_value', at, `must be at least 1 (nanosecond), not ${width}`);
    }),
    interpolation,
    ...(lookBack && { lookBack }),
  };
};
