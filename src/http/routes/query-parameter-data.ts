import type { ResultBlock } from '../../domain/result.ts';
import type { Metrics } from '../../metrics.ts';
import { isAggregate, planQuery, shapeOf } from '../../query/plan.ts';
import type { Store } from '../../store/store.ts';
import { queryLimits } from '../../wire/json-memory.ts';
import { encodeParameterData } from '../../wire/parameter-data-json.ts';
import { decodeParameterDataQuery } from '../../wire/parameter-data-query.ts';
import { answerForms, chooseForm, isTable } from '../accept.ts';
import { collectRows } from '../collect-rows.ts';
import { wantsInt64Strings } from '../int64.ts';
import { createResultRows } from '../result-rows.ts';
import { orEmptyObject } from '../route.ts';
import { int64Query, parameterDataAnswer, parameterDataQuery } from '../schemas/read-data.ts';
import { streamedAnswer } from '../streamed-answer.ts';
import type { QueryRoute } from '../watch-queries.ts';

export function queryParameterData(store: Store, metrics: Metrics, maxResultBytes: number): QueryRoute {
  return {
    method: 'POST',
    path: '/parameters/data',
    interface: 'query',
    scope: 'read',
    summary: 'Read rows',
    plain: true,
    body: { schema: parameterDataQuery, optional: true, limits: queryLimits },
    query: int64Query,
    response: parameterDataAnswer,
    answerTypes: [...answerForms.csv, ...answerForms.parquet, ...answerForms.arrow],
    answerHeaders: {
      'Pitwall-Next-Cursor': 'The `cursor` of the next page, where `limit` cut the answer (JSON only)',
    },
    async handle({ principal, query, accept, body, reservation, signal, countRows }) {
      const chosen = chooseForm(accept);
      const int64AsString = wantsInt64Strings(query);
      const asked = decodeParameterDataQuery(orEmptyObject(body), reservation);
      const plan = planQuery(principal.workspace, asked);
      const shape = shapeOf(plan, asked.groupBy ?? []);
      if (isTable(chosen)) {
        const blocks = isAggregate(plan)
          ? store.aggregate(plan, signal(), countRows)
          : resultBlocks(store.run(plan, signal(), countRows), createResultRows(shape.groupBy));
        return streamedAnswer(chosen, counted(blocks, metrics), shape, reservation);
      }
      const { blocks, rows, nextCursor } = await collectRows(
        store,
        plan,
        shape.groupBy,
        maxResultBytes,
        reservation,
        signal(),
        countRows,
      );
      metrics.rowsRead.inc(rows);
      return {
        type: 'application/json; charset=utf-8',
        headers: nextCursor === undefined ? {} : { 'Pitwall-Next-Cursor': nextCursor },
        vary: 'Accept',
        chunks: encodeParameterData(blocks, shape, { int64AsString }),
      };
    },
  };
}

async function* resultBlocks<Rows>(
  blocks: AsyncIterable<Rows>,
  toResult: (block: Rows) => ResultBlock,
): AsyncGenerator<ResultBlock> {
  for await (const block of blocks) yield toResult(block);
}

async function* counted(blocks: AsyncIterable<ResultBlock>, metrics: Metrics): AsyncGenerator<ResultBlock> {
  for await (const block of blocks) {
    metrics.rowsRead.inc(block.count);
    yield block;
  }
}
