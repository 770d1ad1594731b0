import type { StreamFilter } from '../../domain/query.ts';
import { statuses } from '../../domain/stream.ts';
import { fault } from '../base/fault.ts';
import { propertyNames } from '../base/property-names.ts';
import { type MemoryShare, queryLimits } from '../json/json-memory.ts';
import { emptyObject } from '../json/json-value.ts';
import { decodeBody } from '../json/value.ts';
import { defined, type Fields, flag, listOf, oneOf, type Read, readFields, text } from './fields.ts';
import { orderingBy, paging } from './ordering.ts';

/**
 * The filter of `/streams` (contract, section 4). Every field is optional, an empty body means `{}`, an empty
 * array is the same as an absent one:
 *
 *   streamIds, topics, parameterIds, eventIds   [string, ...]
 *   location, topic, name, parentStreamId, search   string
 *   metadata           [{ key?: string, value?: string }, ...]
 *   includeStatuses, excludeStatuses   [status in any case, ...]
 *   ordering, paging   ordering.ts; by a scalar field of a stream or metadata.<key>
 *   locationDeepSearch boolean, without a meaning
 */
export const selectionNames = [
  'streamIds',
  'location',
  'topic',
  'topics',
  'parameterIds',
  'eventIds',
  'metadata',
  'includeStatuses',
  'excludeStatuses',
  'name',
  'parentStreamId',
  'search',
] as const;
const filterFields = propertyNames([...selectionNames, 'ordering', 'paging', 'locationDeepSearch']);
const metadataFields = propertyNames(['key', 'value']);
const ordering = orderingBy(
  propertyNames([
    'streamId',
    'name',
    'topic',
    'createdAt',
    'lastUpdate',
    'timeOfRecording',
    'dataStart',
    'dataEnd',
    'status',
    'location',
  ]),
  true,
);

export function decodeStreamFilter(body: Uint8Array, share?: MemoryShare): StreamFilter {
  const fields = readFields(decodeBody(body, queryLimits, emptyObject, share), filterFields, '');
  fields.get('locationDeepSearch', flag);
  return {
    ...readSelection(fields, { text, listOf }),
    ...defined({
      ordering: fields.get('ordering', listOf(ordering)),
      paging: fields.get('paging', paging),
    }),
  };
}

/** How texts and arrays are read: what an empty one means is not the same everywhere. */
export interface SelectionReads {
  readonly text: Read<string>;
  readonly listOf: <Value>(read: Read<Value>) => Read<readonly Value[] | undefined>;
}

/** The fields that say which streams. */
export function readSelection(
  fields: Pick<Fields<(typeof selectionNames)[number]>, 'get'>,
  { text, listOf }: SelectionReads,
): StreamFilter {
  const texts = listOf(text);
  return defined({
    streamIds: fields.get('streamIds', texts),
    location: fields.get('location', text),
    topic: fields.get('topic', text),
    topics: fields.get('topics', texts),
    parameterIds: fields.get('parameterIds', texts),
    eventIds: fields.get('eventIds', texts),
    metadata: fields.get('metadata', listOf(metadataEntry(text))),
    includeStatuses: fields.get('includeStatuses', listOf(oneOf(statuses))),
    excludeStatuses: fields.get('excludeStatuses', listOf(oneOf(statuses))),
    name: fields.get('name', text),
    parentStreamId: fields.get('parentStreamId', text),
    search: fields.get('search', text),
  });
}

const metadataEntry =
  (text: Read<string>): Read<{ key?: string; value?: string }> =>
  (value, path) => {
    const fields = readFields(value, metadataFields, path);
    const entry = defined({ key: fields.get('key', text), value: fields.get('value', text) });
    // Every stream would match it.
    if (Object.keys(entry).length === 0) throw fault('invalid_value', path, 'needs key, value or both');
    return entry;
  };
