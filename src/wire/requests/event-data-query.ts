import {
  type Aggregation,
  type ParameterDataQuery,
  type TimeBuckets,
  textAggregations,
} from '../../domain/query.ts';
import { fault } from '../base/fault.ts';
import { propertyNames } from '../base/property-names.ts';
import { type MemoryShare, queryLimits } from '../json/json-memory.ts';
import { emptyObject } from '../json/json-value.ts';
import { decodeBody } from '../json/value.ts';
import { defined, integer64, listOf, oneOf, type Read, readFields, text } from './fields.ts';
import { groupByTags } from './group-by.ts';
import { tagFilter } from './tag-filter.ts';

/**
 * The body of `/events/data` (contract, section 4). Every field is optional, an empty body means `{}`, an empty array
 * is the same as an absent one:
 *
 *   eventIds      [string, ...]    without it all events of the selected streams
 *   from, to      int64            ns, both inclusive
 *   streamIds     [string, ...]    topic  string
 *   tagFilters    tag-filter.ts    all of them must hold
 *   groupBy       [tag name, ...]  also the pseudo-tags streamId and topic
 *   aggregation   { aggregationType: None | First | Last | Count in any case, interval?: int64 from 1, ns }
 */
const queryFields = propertyNames([
  'eventIds',
  'from',
  'to',
  'streamIds',
  'topic',
  'tagFilters',
  'groupBy',
  'aggregation',
]);
const aggregationFields = propertyNames(['aggregationType', 'interval']);

export interface EventDataQuery {
  /** Distinct, in the order in which they were asked for. */
  readonly eventIds: readonly string[] | undefined;
  readonly aggregation: Aggregation;
  /** Everything but what is read. */
  readonly rows: Omit<ParameterDataQuery, 'parameters'>;
}

export function decodeEventDataQuery(body: Uint8Array, share?: MemoryShare): EventDataQuery {
  const fields = readFields(decodeBody(body, queryLimits, emptyObject, share), queryFields, '');
  const from = fields.get('from', integer64);
  const to = fields.get('to', integer64);
  if (from !== undefined && to !== undefined && from > to) {
    throw fault('invalid_value', 'from', `is after to: ${from} > ${to}`);
  }
  const { type, interval } = fields.get('aggregation', aggregation) ?? { type: 'None', interval: undefined };
  const eventIds = fields.get('eventIds', listOf(text));
  return {
    eventIds: eventIds && [...new Set(eventIds)],
    aggregation: type,
    rows: defined({
      from,
      to,
      streamIds: fields.get('streamIds', listOf(text)),
      topic: fields.get('topic', text),
      tagFilters: fields.get('tagFilters', listOf(tagFilter)),
      groupBy: fields.get('groupBy', groupByTags),
      groupByTime: interval === undefined ? undefined : bucketsOf(interval),
    }),
  };
}

function bucketsOf(interval: bigint): TimeBuckets {
  return { width: interval, interpolation: 'None', field: 'aggregation.interval' };
}

const aggregation: Read<{ type: Aggregation; interval: bigint | undefined }> = (value, path) => {
  const fields = readFields(value, aggregationFields, path);
  const type = fields.require('aggregationType', oneOf(textAggregations));
  const interval = fields.get('interval', (given, at) => {
    const width = integer64(given, at);
    if (width < 1n) throw fault('invalid_value', at, `must be at least 1 (nanosecond), not ${width}`);
    if (type === 'None') throw fault('invalid_value', at, 'needs an aggregationType other than None');
    return width;
  });
  return { type, interval };
};
