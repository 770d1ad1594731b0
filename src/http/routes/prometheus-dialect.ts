import type { PitwallError } from '../../errors.ts';
import { QueryError } from '../../promql/query-error.ts';
import { type Answer, type Dialect, json } from '../route.ts';
import { authorization, challengesFor } from './door-access.ts';

/** Errors of the query API in Prometheus' form: `{ status: "error", errorType, error }`. */
export const prometheusDialect: Dialect = {
  authorization,
  refuse(error, headers) {
    const { status, errorType } = kindOf(error);
    return {
      ...json({ status: 'error', errorType, error: error.message }),
      status,
      ...(status === 401 && { challenges: challengesFor(headers) }),
    };
  },
};

interface ErrorKind {
  readonly status: number;
  readonly errorType: string;
}

function kindOf(error: PitwallError): ErrorKind {
  if (error instanceof QueryError) {
    return error.kind === 'bad_data' ? badData : { status: 422, errorType: 'execution' };
  }
  switch (error.code) {
    case 'query_too_slow':
      return { status: 503, errorType: 'timeout' };
    case 'query_ended':
      return { status: 503, errorType: 'canceled' };
    case 'query_too_large':
    case 'result_too_large':
    case 'too_many_buckets':
      return { status: 422, errorType: 'execution' };
  }
  const { status } = error;
  if (status === 401) return { status, errorType: 'unauthorized' };
  if (status === 403) return { status, errorType: 'forbidden' };
  if (status === 404) return { status, errorType: 'not_found' };
  if (status === 500) return { status, errorType: 'internal' };
  return status >= 500 ? { status, errorType: 'unavailable' } : badData;
}

const badData: ErrorKind = { status: 400, errorType: 'bad_data' };

export function success(data: unknown, warnings: readonly string[] = []): Answer {
  return json({ status: 'success', data, ...(warnings.length > 0 && { warnings }) });
}
