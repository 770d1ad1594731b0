import { type Context, lookFrom } from './context.ts';
import { subqueryGrid } from './ranges.ts';
import { type Expression, partsOf, type VectorSelector } from './syntax.ts';

/** Between which times (ms, both ends) a selector looks for samples. */
export interface NeededSamples {
  readonly from: number;
  readonly to: number;
  /** Whether it is asked where series end. */
  readonly wantsEnds: boolean;
}

/**
 * Returns the samples that each selector of an expression looks at, evaluated from one time to another.
 *
 * @param lookback how far back the last sample counts
 */
export function neededSamples(
  expression: Expression,
  times: { readonly from: number; readonly to: number },
  lookback: number,
  context: Pick<Context, 'start' | 'end' | 'subqueryStep'>,
  found = new Map<VectorSelector, NeededSamples>(),
): Map<VectorSelector, NeededSamples> {
  const { from, to } = times;
  switch (expression.type) {
    case 'vector': {
      const look = lookFrom(expression, context);
      found.set(expression, { from: look(from) - lookback, to: look(to), wantsEnds: true });
      break;
    }
    case 'matrix': {
      const { selector, range } = expression;
      const look = lookFrom(selector, context);
      found.set(selector, { from: look(from) - range, to: look(to), wantsEnds: false });
      break;
    }
    case 'subquery': {
      const look = lookFrom(expression, context);
      const inner = subqueryGrid(
        look(from) - expression.range,
        look(to),
        expression.step ?? context.subqueryStep,
      );
      neededSamples(expression.of, { from: inner.start, to: look(to) }, lookback, context, found);
      break;
    }
    default:
      for (const part of partsOf(expression)) neededSamples(part, times, lookback, context, found);
  }
  return found;
}
