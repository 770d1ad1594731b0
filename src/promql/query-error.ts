import { PitwallError } from '../errors.ts';

/**
 * What is wrong with a query, in the words that Prometheus has for kinds of errors: it cannot be understood, or cannot be
 * evaluated on the series that are there.
 */
export class QueryError extends PitwallError {
  readonly kind: 'bad_data' | 'execution';

  constructor(kind: 'bad_data' | 'execution', detail: string) {
    super(kind === 'bad_data' ? 'bad_expression' : 'not_supported', { detail });
    this.kind = kind;
  }
}

export function badData(detail: string): QueryError {
  return new QueryError('bad_data', detail);
}

export function cannotEvaluate(detail: string): QueryError {
  return new QueryError('execution', detail);
}
