import { readsOf } from '../../auth/shared-reads.ts';
import { Kind } from '../../domain/parameter-data.ts';
import type { ParameterDataQuery, RequestedParameter } from '../../domain/query.ts';
import type { Metrics } from '../../metrics.ts';
import { planQuery } from '../../query/plan/plan.ts';
import type { Reader } from '../../store/store.ts';
import { queryLimits } from '../../wire/json/json-memory.ts';
import { decodeEventDataQuery } from '../../wire/requests/event-data-query.ts';
import { answerTerms } from '../answer-terms.ts';
import { wantsInt64Strings } from '../int64.ts';
import { eventDataAnswer, eventDataQuery, int64Query } from '../schemas/read-data.ts';
import type { QueryRoute } from '../watch-queries.ts';

export function queryEventData(
  store: Reader,
  metrics: Metrics,
  now: () => number,
  maxResultBytes: number,
): QueryRoute {
  return {
    method: 'POST',
    path: '/events/data',
    interface: 'query',
    scope: 'read',
    openToShares: true,
    summary: 'Read events',
    plain: true,
    body: { schema: eventDataQuery, optional: true, limits: queryLimits },
    query: int64Query,
    response: eventDataAnswer,
    async handle(call) {
      const { principal, query, body, reservation, signal } = call;
      const { workspace } = principal;
      const reads = readsOf(store, principal, now);
      const int64AsString = wantsInt64Strings(query);
      const { eventIds: asked, aggregation, rows: which } = decodeEventDataQuery(body, reservation);
      const { streamIds, topic, groupBy } = which;
      const eventIds =
        asked ?? (await reads.catalog.writtenEvents(workspace, { streamIds, topic }, signal()));
      const parameters = eventIds.map((name) => ({ kind: Kind.Event, name, aggregation }));
      const runs = runsOf(parameters, which);
      const { chunks } = await reads.answer(
        {
          kind: 'events',
          plans: runs.map(({ from, to }) =>
            planQuery(workspace, { ...which, parameters: parameters.slice(from, to) }),
          ),
          firsts: runs.map(({ from }) => from),
          eventIds,
          keepEmpty: asked !== undefined,
          groupBy,
          int64AsString,
          maxBytes: maxResultBytes,
        },
        answerTerms(call, metrics),
      );
      return { type: 'application/json; charset=utf-8', chunks };
    },
  };
}

/**
 * Which events are read together: all, but where a row gets the time of its group's first row, which is to be the
 * event's own.
 */
function runsOf(
  parameters: readonly RequestedParameter[],
  { from, groupByTime }: Pick<ParameterDataQuery, 'from' | 'groupByTime'>,
): { readonly from: number; readonly to: number }[] {
  const isOwn = parameters[0]?.aggregation !== 'None' && from === undefined && groupByTime === undefined;
  if (!isOwn) return [{ from: 0, to: parameters.length }];
  return parameters.map((_, event) => ({ from: event, to: event + 1 }));
}
