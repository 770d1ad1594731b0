import { readsWithCalculations } from '../../auth/shared-reads.ts';
import { encodeWarning, warningHeader } from '../../domain/warning.ts';
import { withPlanBefore } from '../../query/answer/look-back.ts';
import { planQuery } from '../../query/plan/plan.ts';
import { withTopicCalculations } from '../../query/plan/topic-calculations.ts';
import type { Reader } from '../../store/store.ts';
import { type AnswerForm, answerForms } from '../../wire/answers/answer-forms.ts';
import { queryLimits } from '../../wire/json/json-memory.ts';
import { decodeParameterDataQuery } from '../../wire/requests/parameter-data-query.ts';
import { chooseForm } from '../accept.ts';
import { answerTerms, type RowsCounted } from '../answer-terms.ts';
import { wantsInt64Strings } from '../int64.ts';
import { orEmptyObject, warnings } from '../route.ts';
import { int64Query, parameterDataAnswer, parameterDataQuery } from '../schemas/read-data.ts';
import { unknownParametersWarning } from '../unknown-parameters.ts';
import type { QueryRoute } from '../watch-queries.ts';

export function queryParameterData(
  store: Reader,
  metrics: RowsCounted,
  now: () => number,
  maxResultBytes: number,
): QueryRoute {
  return {
    method: 'POST',
    path: '/parameters/data',
    interface: 'query',
    scope: 'read',
    openToShares: true,
    summary: 'Read rows',
    plain: true,
    body: { schema: parameterDataQuery, optional: true, limits: queryLimits },
    query: int64Query,
    response: parameterDataAnswer,
    answerTypes: [...answerForms.csv, ...answerForms.parquet, ...answerForms.arrow],
    answerHeaders: {
      'Pitwall-Next-Cursor': 'The `cursor` of the next page, where `limit` cut the answer (JSON only)',
      ...warnings,
    },
    async handle(call) {
      const { principal, accept, body, reservation } = call;
      const { form, type } = chooseForm(accept);
      const int64AsString = wantsInt64Strings(call.query);
      const asked = decodeParameterDataQuery(orEmptyObject(body), reservation);
      const { catalog, answer } = await readsWithCalculations(store, principal, now, call.signal());
      const kept =
        asked.writtenOnly === true ? [] : catalog.documents(principal.workspace, 'calculated', asked.topic);
      const plan = planQuery(principal.workspace, withTopicCalculations(asked, kept));
      const doubt = unknownParametersWarning(catalog, plan, kept, call.signal());
      const { chunks, nextCursor } = await answer(
        {
          kind: 'rows',
          plans: withPlanBefore(plan),
          groupBy: asked.groupBy ?? [],
          form,
          int64AsString,
          maxBytes: maxResultBytes,
        },
        answerTerms(call, metrics),
      );
      const warning = doubt instanceof Promise ? await doubt : doubt;
      return {
        type: type + parametersOf[form],
        headers: {
          ...(nextCursor !== undefined && { 'Pitwall-Next-Cursor': nextCursor }),
          ...(warning !== undefined && { [warningHeader]: encodeWarning(warning) }),
        },
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
