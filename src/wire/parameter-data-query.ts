import { Kind } from '../domain/parameter-data.ts';
import {
  aggregations,
  interpolations,
  type ParameterDataQuery,
  type RequestedParameter,
  type TimeBuckets,
  textAggregations,
} from '../domain/query.ts';
import { fault } from './fault.ts';
import { defined, integer64, integerFrom, listOf, oneOf, type Read, readFields, text } from './fields.ts';
import { groupByTags } from './group-by.ts';
import { type MemoryShare, queryLimits } from './json-memory.ts';
import { checkName, excerpt, maxNameBytes } from './name.ts';
import { propertyNames } from './property-names.ts';
import { tagFilter } from './tag-filter.ts';
import { decodeBody } from './value.ts';

/**
 * The body of `/parameters/data` (contract, section 4). All fields are optional but one parameter is needed:
 *
 *   numericParameters, stringParameters, binaryParameters
 *                  [{ parameterName: string, aggregationType?: None | Mean | ... in any case }, ...]
 *                  either all or none of them have an aggregation other than None
 *   from, to       int64                  ns, both inclusive
 *   streamIds      [string, ...]          topic  string
 *   tagFilters     tag-filter.ts          all of them must hold
 *   groupBy        [tag name, ...]        also the pseudo-tags streamId and topic
 *   groupByTime    { timeBucketDuration: int64 from 1, ns, interpolationType?: None | Linear | Null | Previous in
 *                  any case }             only with aggregations
 *   limit          integer from 1         order  Asc | Desc in any case
 *   cursor         string                 from the header Pitwall-Next-Cursor
 */
const queryFields = propertyNames([
  'numericParameters',
  'stringParameters',
  'binaryParameters',
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
const bucketFields = propertyNames(['timeBucketDuration', 'interpolationType']);

/** A requested parameter and where the body has it. */
type Placed = RequestedParameter & { readonly path: string };

export function decodeParameterDataQuery(body: Uint8Array, share?: MemoryShare): ParameterDataQuery {
  const fields = readFields(decodeBody(body, queryLimits, undefined, share), queryFields, '');
  const placed: Placed[] = parameterLists.flatMap(([name, read]) => fields.get(name, read) ?? []);
  if (placed.length === 0) {
    throw fault(
      'missing_property',
      '',
      'must name a parameter in numericParameters, stringParameters or binaryParameters',
    );
  }
  const groupByTime = fields.get('groupByTime', timeBuckets);
  checkAggregations(placed, groupByTime);
  const from = fields.get('from', integer64);
  const to = fields.get('to', integer64);
  if (from !== undefined && to !== undefined && from > to) {
    throw fault('invalid_value', 'from', `is after to: ${from} > ${to}`);
  }
  return {
    parameters: placed.map(({ kind, name, aggregation }) => ({ kind, name, aggregation })),
    ...defined({
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

/** Rows are either as they were written or aggregated: one answer can't be both. */
function checkAggregations(placed: readonly Placed[], groupByTime: TimeBuckets | undefined): void {
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
const texts = listOf(text);
const tagFilters = listOf(tagFilter);
const positive = integerFrom(1);
const direction = oneOf(['Asc', 'Desc']);
const aggregationType = oneOf(aggregations);
const interpolationType = oneOf(interpolations);

const timeBuckets: Read<TimeBuckets> = (value, path) => {
  const fields = readFields(value, bucketFields, path);
  return {
    width: fields.require('timeBucketDuration', (given, at) => {
      const width = integer64(given, at);
      if (width > 0n) return width;
      throw fault('invalid_value', at, `must be at least 1 (nanosecond), not ${width}`);
    }),
    interpolation: fields.get('interpolationType', interpolationType) ?? 'None',
  };
};
