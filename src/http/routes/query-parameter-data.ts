import type { Metrics } from '../../metrics.ts';
import { planQuery } from '../../query/plan.ts';
import type { Store } from '../../store/store.ts';
import { type AnswerForm, answerForms } from '../../wire/answer-forms.ts';
import { queryLimits } from '../../wire/json-memory.ts';
import { decodeParameterDataQuery } from '../../wire/parameter-data-query.ts';
import { chooseForm } from '../accept.ts';
import { answerTerms } from '../answer-terms.ts';
import { wantsInt64Strings } from '../int64.ts';
import { orEmptyObject } from '../route.ts';
import { int64Query, parameterDataAnswer, parameterDataQuery } from '../schemas/read-data.ts';
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
    async handle(call) {
      const { principal, query, accept, body, reservation } = call;
      const { form, type } = chooseForm(accept);
      const int64AsString = wantsInt64Strings(query);
      const asked = decodeParameterDataQuery(orEmptyObject(body), reservation);
      const { chunks, nextCursor } = await store.answer(
        {
          kind: 'rows',
          plans: [planQuery(principal.workspace, asked)],
          groupBy: asked.groupBy ?? [],
          form,
          int64AsString,
          maxBytes: maxResultBytes,
        },
        answerTerms(call, metrics),
      );
      return {
        type: type + parametersOf[form],
        headers: nextCursor === undefined ? {} : { 'Pitwall-Next-Cursor': nextCursor },
        vary: 'Accept',
        chunks,
      };
    },
  };
}

/** Of the media types. */
const parametersOf: Readonly<Record<AnswerForm, string>> = {
  json: '; charset=utf-8',
  csv: '; charset=utf-8; header=present',
  parquet: '',
  arrow: '',
};
