import { readsOf } from '../../auth/shared-reads.ts';
import { maxTimestamp, minTimestamp } from '../../domain/timestamp.ts';
import type { Metrics } from '../../metrics.ts';
import type { Selection } from '../../query/plan/plan.ts';
import type { Reader } from '../../store/store.ts';
import { queryLimits } from '../../wire/json/json-memory.ts';
import {
  decodeTagNamesQuery,
  decodeTagValuesQuery,
  type TagNamesQuery,
} from '../../wire/requests/tag-values-query.ts';
import { answerTerms } from '../answer-terms.ts';
import { type Call, orEmptyObject } from '../route.ts';
import { tagNames, tagNamesQuery, tagValues, tagValuesQuery } from '../schemas/read-data.ts';
import type { QueryRoute } from '../watch-queries.ts';

export function queryTagValues(store: Reader, metrics: Metrics, now: () => number): QueryRoute {
  return {
    method: 'POST',
    path: '/tags/values',
    interface: 'query',
    scope: 'read',
    openToShares: true,
    summary: 'List the distinct values of a tag, in order of text; those of events too',
    body: { schema: tagValuesQuery, optional: false, limits: queryLimits },
    response: tagValues,
    async handle(call) {
      const query = decodeTagValuesQuery(call.body, call.reservation);
      const request = { kind: 'tagValues', plans: [selectionOf(call, query)], tag: query.tag } as const;
      const { chunks } = await readsOf(store, call.principal, now).answer(
        request,
        answerTerms(call, metrics),
      );
      return { type: 'application/json; charset=utf-8', chunks };
    },
  };
}

export function queryTagNames(store: Reader, metrics: Metrics, now: () => number): QueryRoute {
  return {
    method: 'POST',
    path: '/tags',
    interface: 'query',
    scope: 'read',
    openToShares: true,
    summary: 'List the tags of rows and events, in order of text, and how many values each has',
    body: { schema: tagNamesQuery, optional: true, limits: queryLimits },
    response: tagNames,
    async handle(call) {
      const query = decodeTagNamesQuery(orEmptyObject(call.body), call.reservation);
      const request = { kind: 'tagNames', plans: [selectionOf(call, query)] } as const;
      const { chunks } = await readsOf(store, call.principal, now).answer(
        request,
        answerTerms(call, metrics),
      );
      return { type: 'application/json; charset=utf-8', chunks };
    },
  };
}

function selectionOf(
  { principal }: Call,
  { from = minTimestamp, to = maxTimestamp, streamIds, topic }: TagNamesQuery,
): Selection {
  return { workspace: principal.workspace, streamIds, topic, from, to, tagFilters: [] };
}
