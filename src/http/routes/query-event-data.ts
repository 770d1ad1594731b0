import { Kind } from '../../domain/parameter-data.ts';
import type { ParameterDataQuery, RequestedParameter } from '../../domain/query.ts';
import { PitwallError } from '../../errors.ts';
import type { Metrics } from '../../metrics.ts';
import { type AggregatePlan, isAggregate, planQuery, type ReadPlan } from '../../query/plan.ts';
import type { CountRows } from '../../query/running-queries.ts';
import type { RowBlock, Store } from '../../store/store.ts';
import { createEventAnswer, type EventBlock, tagsOfColumns, tagsOfSets } from '../../wire/event-data-json.ts';
import { decodeEventDataQuery } from '../../wire/event-data-query.ts';
import { queryLimits } from '../../wire/json-memory.ts';
import { wantsInt64Strings } from '../int64.ts';
import { createResultRows } from '../result-rows.ts';
import { eventDataAnswer, eventDataQuery, int64Query } from '../schemas/read-data.ts';
import type { QueryRoute } from '../watch-queries.ts';

export function queryEventData(store: Store, metrics: Metrics, maxResultBytes: number): QueryRoute {
  return {
    method: 'POST',
    path: '/events/data',
    interface: 'query',
    scope: 'read',
    summary: 'Read events',
    plain: true,
    body: { schema: eventDataQuery, optional: true, limits: queryLimits },
    query: int64Query,
    response: eventDataAnswer,
    async handle({ principal: { workspace }, query, body, reservation, signal, countRows }) {
      const int64AsString = wantsInt64Strings(query);
      const left = signal();
      const { eventIds: asked, aggregation, rows: which } = decodeEventDataQuery(body, reservation);
      const { streamIds, topic, groupBy } = which;
      const eventIds = asked ?? (await store.catalog.writtenEvents(workspace, { streamIds, topic }, left));
      const parameters = eventIds.map((name) => ({ kind: Kind.Event, name, aggregation }));
      const answer = createEventAnswer({ eventIds, keepEmpty: asked !== undefined, int64AsString });
      let bytes = 0;
      for (const run of runsOf(parameters, which)) {
        const plan = planQuery(workspace, { ...which, parameters: parameters.slice(run.from, run.to) });
        for await (const block of eventBlocks(store, plan, groupBy, left, countRows)) {
          const grown = answer.add(block, run.from);
          bytes += grown;
          if (bytes > maxResultBytes) throw tooLarge(maxResultBytes);
          reservation.take(grown);
        }
      }
      const { chunks, rows } = answer.finish();
      metrics.rowsRead.inc(rows);
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

async function* eventBlocks(
  store: Store,
  plan: ReadPlan | AggregatePlan,
  groupBy: readonly string[] | undefined,
  signal: AbortSignal,
  countRows: CountRows,
): AsyncGenerator<EventBlock> {
  if (isAggregate(plan)) {
    for await (const block of store.aggregate(plan, signal, countRows)) {
      yield { ...block, tags: tagsOfColumns(block, plan.groupBy) };
    }
    return;
  }
  const toResult = createResultRows(groupBy ?? []);
  /** Blocks share their tag sets. */
  let last: { readonly sets: RowBlock['tagSets']; readonly json: readonly string[] } | undefined;
  for await (const block of store.run(plan, signal, countRows)) {
    if (groupBy !== undefined) {
      yield { ...block, tags: tagsOfColumns(toResult(block), groupBy) };
    } else {
      const sets = block.tagSets;
      if (last?.sets !== sets) last = { sets, json: tagsOfSets(sets) };
      yield { ...block, tags: { json: last.json, index: block.tagIndex } };
    }
  }
}

function tooLarge(maxBytes: number): PitwallError {
  return new PitwallError('result_too_large', {
    detail: `the answer would take more than ${maxBytes} bytes; ask for less time, fewer events or fewer streams`,
  });
}
