import type { Aggregation, ParameterDataQuery } from '../domain/query.ts';
import type { Expression } from './syntax.ts';

/** A column of an answer that is calculated from parameters. */
export interface RequestedCalculation {
  readonly name: string;
  /** It has at least one parameter. */
  readonly expression: Expression;
  readonly aggregation: Aggregation;
  /** Streams of some topics have it calculated in their own ways. */
  readonly perTopic?: readonly TopicExpression[];
}

export interface TopicExpression {
  /** Folded; each in one entry. */
  readonly topics: readonly string[];
  readonly expression: Expression;
}

/** The body of `/parameters/data` with the columns that it has calculated; it asks for one column at least. */
export interface CalculatingQuery extends ParameterDataQuery {
  /** No two columns of the query have the same name and kind. */
  readonly calculated?: readonly RequestedCalculation[];
  /** Definitions that topics keep are left out of account. */
  readonly writtenOnly?: boolean;
}
