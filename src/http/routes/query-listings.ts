import { readsOf, readsWithCalculations } from '../../auth/shared-reads.ts';
import { PitwallError } from '../../errors.ts';
import { listParameters } from '../../store/calculated/list-parameters.ts';
import type { Reader } from '../../store/store.ts';
import {
  encodeEvents,
  encodeParameters,
  encodeTopics,
  sizeOfStreamIds,
} from '../../wire/answers/listing-json.ts';
import { queryLimits } from '../../wire/json/json-memory.ts';
import {
  decodeEventFilter,
  decodeParameterFilter,
  decodeTopicFilter,
} from '../../wire/requests/listing-filter.ts';
import { wantsInt64Strings } from '../int64.ts';
import {
  eventFilter,
  events,
  parameterFilter,
  parameters,
  topicFilter,
  topics,
} from '../schemas/listings.ts';
import { int64Query } from '../schemas/read-data.ts';
import type { QueryRoute } from '../watch-queries.ts';

const jsonType = 'application/json; charset=utf-8';

export function queryParameters(store: Reader, now: () => number, maxResultBytes: number): QueryRoute {
  return {
    method: 'POST',
    path: '/parameters',
    interface: 'query',
    scope: 'read',
    openToShares: true,
    summary: 'List parameters, written, defined or calculated, with their streams',
    body: { schema: parameterFilter, optional: true, limits: queryLimits },
    response: parameters,
    async handle({ principal, body, reservation, signal, countRows }) {
      const filter = decodeParameterFilter(body, reservation);
      const { catalog } = await readsWithCalculations(store, principal, now, signal());
      const found = await listParameters(catalog, principal.workspace, filter, signal());
      countRows(found.length);
      reservation.take(checkedSize(found, maxResultBytes));
      return { type: jsonType, chunks: encodeParameters(found) };
    },
  };
}

export function queryEvents(store: Reader, now: () => number, maxResultBytes: number): QueryRoute {
  return {
    method: 'POST',
    path: '/events',
    interface: 'query',
    scope: 'read',
    openToShares: true,
    summary: 'List events, written or defined, with their streams',
    body: { schema: eventFilter, optional: true, limits: queryLimits },
    response: events,
    async handle({ principal, body, reservation, signal, countRows }) {
      const filter = decodeEventFilter(body, reservation);
      const { catalog } = readsOf(store, principal, now);
      const found = await catalog.events(principal.workspace, filter, signal());
      countRows(found.length);
      reservation.take(checkedSize(found, maxResultBytes));
      return { type: jsonType, chunks: encodeEvents(found) };
    },
  };
}

function checkedSize(
  found: readonly { readonly streamIds: readonly string[] }[],
  maxResultBytes: number,
): number {
  const size = sizeOfStreamIds(found);
  if (size <= maxResultBytes) return size;
  throw new PitwallError('result_too_large', {
    detail: `the ids of the streams would take more than ${maxResultBytes} bytes; ask for fewer streams, or in pages`,
  });
}

export function queryTopics(store: Reader, now: () => number): QueryRoute {
  return {
    method: 'POST',
    path: '/topics',
    interface: 'query',
    scope: 'read',
    openToShares: true,
    summary: 'List topics',
    body: { schema: topicFilter, optional: true, limits: queryLimits },
    query: int64Query,
    response: topics,
    async handle({ principal, query, body, reservation, signal, countRows }) {
      const int64AsString = wantsInt64Strings(query);
      decodeTopicFilter(body, reservation);
      const { catalog } = readsOf(store, principal, now);
      const found = await catalog.topics(principal.workspace, signal());
      countRows(found.length);
      return { type: jsonType, body: encodeTopics(found, { int64AsString }) };
    },
  };
}
