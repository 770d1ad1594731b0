import { maxTimestamp, minTimestamp } from '../../domain/timestamp.ts';
import type { Metrics } from '../../metrics.ts';
import type { Store } from '../../store/store.ts';
import { queryLimits } from '../../wire/json-memory.ts';
import { decodeTagValuesQuery } from '../../wire/tag-values-query.ts';
import { answerTerms } from '../answer-terms.ts';
import { tagValues, tagValuesQuery } from '../schemas/read-data.ts';
import type { QueryRoute } from '../watch-queries.ts';

export function queryTagValues(store: Store, metrics: Metrics): QueryRoute {
  return {
    method: 'POST',
    path: '/tags/values',
    interface: 'query',
    scope: 'read',
    summary: 'List the distinct values of a tag, in order of text; those of events too',
    body: { schema: tagValuesQuery, optional: false, limits: queryLimits },
    response: tagValues,
    async handle(call) {
      const { principal, body, reservation } = call;
      const {
        tag,
        from = minTimestamp,
        to = maxTimestamp,
        streamIds,
        topic,
      } = decodeTagValuesQuery(body, reservation);
      const selection = { workspace: principal.workspace, streamIds, topic, from, to, tagFilters: [] };
      const request = { kind: 'tagValues', plans: [selection], tag } as const;
      const { chunks } = await store.answer(request, answerTerms(call, metrics));
      return { type: 'application/json; charset=utf-8', chunks };
    },
  };
}
