import { readsOf } from '../../auth/shared-reads.ts';
import type { Reader } from '../../store/store.ts';
import { encodeStreamModels, encodeStreams } from '../../wire/answers/stream-json.ts';
import { queryLimits } from '../../wire/json/json-memory.ts';
import { decodeStreamFilter } from '../../wire/requests/stream-filter.ts';
import { wantsInt64Strings } from '../int64.ts';
import { int64Query } from '../schemas/read-data.ts';
import { streamFilter, streamModels, streams } from '../schemas/streams.ts';
import type { QueryRoute } from '../watch-queries.ts';

export function queryStreams(store: Reader, now: () => number): QueryRoute {
  return {
    method: 'POST',
    path: '/streams',
    interface: 'query',
    scope: 'read',
    openToShares: true,
    summary: 'Find streams',
    body: { schema: streamFilter, optional: true, limits: queryLimits },
    query: int64Query,
    response: streams,
    async handle({ principal, query, body, reservation, signal, countRows }) {
      const int64AsString = wantsInt64Strings(query);
      const filter = decodeStreamFilter(body, reservation);
      const { catalog } = readsOf(store, principal, now);
      const found = await catalog.streams(principal.workspace, filter, now(), signal());
      countRows(found.length);
      return { type: 'application/json; charset=utf-8', chunks: encodeStreams(found, { int64AsString }) };
    },
  };
}

export function queryStreamModels(store: Reader, now: () => number): QueryRoute {
  return {
    method: 'POST',
    path: '/streams/models',
    interface: 'query',
    scope: 'read',
    openToShares: true,
    summary: 'Find streams as a tree by their parents; pages are of the streams at the top',
    body: { schema: streamFilter, optional: true, limits: queryLimits },
    query: int64Query,
    response: streamModels,
    async handle({ principal, query, body, reservation, signal, countRows }) {
      const int64AsString = wantsInt64Strings(query);
      const filter = decodeStreamFilter(body, reservation);
      const { catalog } = readsOf(store, principal, now);
      const placed = await catalog.streamModels(principal.workspace, filter, now(), signal());
      countRows(placed.length);
      return {
        type: 'application/json; charset=utf-8',
        chunks: encodeStreamModels(placed, { int64AsString }),
      };
    },
  };
}
