import { type ParameterDataQuery, RequestError } from '../../../src/client/client.ts';
import type { MathChannel } from '../state/math-text.ts';
import { isConverted } from './conversions.ts';
import { inShownUnit, unfolded } from './expression.ts';

/**
 * A query for rows in the units in which they are shown, which `unitOf` tells: what is converted says its unit in its name,
 * and everything does where `all` is set.
 */
export function withShownUnits(
  query: ParameterDataQuery,
  unitOf: (parameter: string) => string,
  all: boolean,
): ParameterDataQuery {
  const requested = query.numericParameters ?? [];
  const unit = (name: string) => (all || isConverted(name) ? unitOf(name) : '');
  const named = requested.filter(({ parameterName }) => unit(parameterName) !== '');
  if (named.length === 0) return query;
  const { numericParameters: _, calculatedParameters = [], ...rest } = query;
  const others = requested.filter((own) => !named.includes(own));
  return {
    ...rest,
    ...(others.length > 0 && { numericParameters: others }),
    calculatedParameters: [
      ...named.map(({ parameterName: name }) => ({
        name: `${name} (${unit(name)})`,
        expression: inShownUnit(name, query),
      })),
      ...calculatedParameters,
    ],
  };
}

/** The query as the service understands it: channels of the view stand in it with their expressions. */
export function withMath(query: ParameterDataQuery, channels: readonly MathChannel[]): ParameterDataQuery {
  const expressions = new Map(channels.map(({ name, expression }) => [name, expression]));
  const requested = query.numericParameters ?? [];
  const calculated = requested.filter(({ parameterName }) => expressions.has(parameterName));
  const { numericParameters: _, calculatedParameters = [], ...rest } = query;
  if (calculated.length + calculatedParameters.length === 0) return query;
  const others = requested.filter(({ parameterName }) => !expressions.has(parameterName));
  return {
    ...rest,
    ...(others.length > 0 && { numericParameters: others }),
    calculatedParameters: [
      ...calculated.map(({ parameterName: name, aggregationType }) => ({
        name,
        expression: unfolded(expressions.get(name)!, (other) => expressions.get(other), [name]),
        ...(aggregationType !== undefined && { aggregationType }),
      })),
      ...calculatedParameters.map((own) => ({
        ...own,
        expression: unfolded(own.expression, (other) => expressions.get(other)),
      })),
    ],
  };
}

/** The answer to a query; the refusal of an expression names the channel of the view, and not its place in the query. */
export async function named<Answer>(
  { calculatedParameters = [] }: ParameterDataQuery,
  channels: readonly MathChannel[],
  answer: Promise<Answer>,
): Promise<Answer> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof RequestError)
      error.message = error.message.replaceAll(
        /calculatedParameters\[(\d+)\]\.expression/g,
        (place, index) => {
          const name = calculatedParameters[Number(index)]?.name;
          return channels.some((own) => own.name === name) ? `The expression of “${name}”` : place;
        },
      );
    throw error;
  }
}
