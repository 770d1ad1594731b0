import { eventLevels } from '../../domain/definition.ts';
import {
  type EventFilter,
  eventOrderings,
  type ListingFilter,
  type ParameterFilter,
  parameterOrderings,
  parameterTypes,
} from '../../domain/listing.ts';
import { propertyNames } from '../base/property-names.ts';
import { type MemoryShare, queryLimits } from '../json/json-memory.ts';
import { emptyObject } from '../json/json-value.ts';
import { decodeBody } from '../json/value.ts';
import { defined, type Fields, flag, listOf, oneOf, readFields, text } from './fields.ts';
import { orderingBy, paging } from './ordering.ts';

/**
 * The bodies of `/parameters`, `/events` and `/topics`. Every field is optional, an empty body means `{}`, an empty
 * array is the same as an absent one:
 *
 *   streamIds, topics      [string, ...]    which streams count
 *   topic, location        string           the same; the prefix is of the stream's location
 *   name, description, customProperties     string; contains, case matters only if it has a capital
 *   ordering, paging       ordering.ts
 *   locationDeepSearch     boolean, without a meaning
 *
 *   parameters                                       events
 *   parameterIds   [string, ...]                     eventIds        [string, ...]
 *   unit           string, as name                   includeLevels   [level in any case, ...]
 *   includeTypes   [type in any case, ...]           excludeLevels   [level in any case, ...]
 *
 * `/topics` has no fields.
 */
const commonNames = [
  'streamIds',
  'topic',
  'topics',
  'location',
  'name',
  'description',
  'customProperties',
  'ordering',
  'paging',
  'locationDeepSearch',
] as const;
const parameterFields = propertyNames([...commonNames, 'parameterIds', 'unit', 'includeTypes']);
const eventFields = propertyNames([...commonNames, 'eventIds', 'includeLevels', 'excludeLevels']);
const parameterOrdering = orderingBy(propertyNames(parameterOrderings), false);
const eventOrdering = orderingBy(propertyNames(eventOrderings), false);

export function decodeParameterFilter(body: Uint8Array, share?: MemoryShare): ParameterFilter {
  const fields = readFields(decodeBody(body, queryLimits, emptyObject, share), parameterFields, '');
  return {
    ...readCommon(fields, parameterOrdering),
    ...defined({
      parameterIds: fields.get('parameterIds', listOf(text)),
      unit: fields.get('unit', text),
      includeTypes: fields.get('includeTypes', listOf(oneOf(parameterTypes))),
    }),
  };
}

export function decodeEventFilter(body: Uint8Array, share?: MemoryShare): EventFilter {
  const fields = readFields(decodeBody(body, queryLimits, emptyObject, share), eventFields, '');
  return {
    ...readCommon(fields, eventOrdering),
    ...defined({
      eventIds: fields.get('eventIds', listOf(text)),
      includeLevels: fields.get('includeLevels', listOf(oneOf(eventLevels))),
      excludeLevels: fields.get('excludeLevels', listOf(oneOf(eventLevels))),
    }),
  };
}

/** Checks that there is nothing in it: no field has a meaning. */
export function decodeTopicFilter(body: Uint8Array, share?: MemoryShare): void {
  readFields(decodeBody(body, queryLimits, emptyObject, share), propertyNames([]), '');
}

function readCommon(
  fields: Pick<Fields<(typeof commonNames)[number]>, 'get'>,
  ordering: ReturnType<typeof orderingBy>,
): ListingFilter {
  fields.get('locationDeepSearch', flag);
  return defined({
    streamIds: fields.get('streamIds', listOf(text)),
    topic: fields.get('topic', text),
    topics: fields.get('topics', listOf(text)),
    location: fields.get('location', text),
    name: fields.get('name', text),
    description: fields.get('description', text),
    customProperties: fields.get('customProperties', text),
    ordering: fields.get('ordering', listOf(ordering)),
    paging: fields.get('paging', paging),
  });
}
