import { maxTimestamp, minTimestamp } from '../../domain/timestamp.ts';
import type { Store } from '../../store/store.ts';
import { queryLimits } from '../../wire/json-memory.ts';
import { decodeTagValuesQuery } from '../../wire/tag-values-query.ts';
import { json } from '../route.ts';
import { tagValues, tagValuesQuery } from '../schemas/read-data.ts';
import type { QueryRoute } from '../watch-queries.ts';

export function queryTagValues(store: Store): QueryRoute {
  return {
    method: 'POST',
    path: '/tags/values',
    interface: 'query',
    scope: 'read',
    summary: 'List the distinct values of a tag, in order of text; those of events too',
    body: { schema: tagValuesQuery, optional: false, limits: queryLimits },
    response: tagValues,
    async handle({ principal, body, reservation, signal, countRows }) {
      const {
        tag,
        from = minTimestamp,
        to = maxTimestamp,
        streamIds,
        topic,
      } = decodeTagValuesQuery(body, reservation);
      const selection = { workspace: principal.workspace, streamIds, topic, from, to, tagFilters: [] };
      return json(await store.tagValues(selection, tag, signal(), countRows));
    },
  };
}
