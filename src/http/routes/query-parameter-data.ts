import type { Metrics } from '../../metrics.ts';
import { planRead } from '../../query/plan.ts';
import type { Store } from '../../store/store.ts';
import { encodeParameterData } from '../../wire/parameter-data-json.ts';
import { decodeParameterDataQuery } from '../../wire/parameter-data-query.ts';
import { requireJsonAnswer } from '../accept.ts';
import { collectRows } from '../collect-rows.ts';
import { wantsInt64Strings } from '../int64.ts';
import { resultBlock } from '../result-rows.ts';
import { orEmptyObject, type Route } from '../route.ts';
import { int64Query, parameterDataAnswer, parameterDataQuery } from '../schemas.ts';

export function queryParameterData(store: Store, metrics: Metrics, maxResultBytes: number): Route {
  return {
    method: 'POST',
    path: '/parameters/data',
    interface: 'query',
    scope: 'read',
    summary: 'Read rows',
    body: { schema: parameterDataQuery, optional: true },
    query: int64Query,
    response: parameterDataAnswer,
    async handle({ principal, query, accept, body, reservation, signal }) {
      requireJsonAnswer(accept);
      const int64AsString = wantsInt64Strings(query);
      const asked = decodeParameterDataQuery(orEmptyObject(body));
      const plan = planRead(principal.workspace, asked);
      const shape = { columns: plan.parameters, groupBy: asked.groupBy ?? [] };
      const { blocks, rows, nextCursor } = await collectRows(
        store,
        plan,
        maxResultBytes,
        reservation,
        signal(),
      );
      metrics.rowsRead.inc(rows);
      return {
        type: 'application/json; charset=utf-8',
        headers: nextCursor === undefined ? {} : { 'Pitwall-Next-Cursor': nextCursor },
        chunks: encodeParameterData(
          blocks.map((block) => resultBlock(block, shape.groupBy)),
          shape,
          { int64AsString },
        ),
      };
    },
  };
}
