import { type ReusedRoom, valueRoom } from '../../expression/value-room.ts';
import type { PlacedExpression } from '../../query/plan/calculated.ts';
import { type ColumnEvaluator, columnEvaluator } from './column-evaluator.ts';

/** Values that the streams of one read remember together: 128 MiB with their times. */
export const maxRemembered = 8 << 20;

/**
 * Evaluators for who goes through one stream after another, and uses each block before it asks for the next: their memory is
 * used again and again, also that of the values that they give.
 */
export interface EvaluatorPool {
  readonly room: ReusedRoom;
  /** Of an expression, at the begin of a stream. */
  of(placed: PlacedExpression): ColumnEvaluator;
}

export function evaluatorPool(): EvaluatorPool {
  const room = valueRoom(maxRemembered);
  const known = new Map<PlacedExpression, ColumnEvaluator>();
  return {
    room,
    of(placed) {
      let evaluator = known.get(placed);
      if (evaluator === undefined) {
        evaluator = columnEvaluator(placed, room);
        known.set(placed, evaluator);
      } else evaluator.beginStream();
      return evaluator;
    },
  };
}
