import { foldTopic } from '../../domain/topic.ts';
import { type CalculatedColumn, expressionsOf, type PlacedExpression } from '../../query/plan/calculated.ts';
import type { RowBlock } from '../row-block.ts';
import { type CalculatedRows, type ColumnEvaluator, columnEvaluator } from './column-evaluator.ts';

/** The expression that a column has for streams of a topic. */
export function expressionOfTopic(column: CalculatedColumn, topic: string): PlacedExpression {
  if (column.perTopic === undefined) return column;
  const folded = foldTopic(topic);
  return column.perTopic.find(({ topics }) => topics.includes(folded)) ?? column;
}

/** Evaluators of a column of which each row stands for itself, by topic. */
export interface ColumnOfTopics {
  of(topic: string): ColumnEvaluator;
  /** The values of a block of any streams: each row is in one of them at most, and they are to be used one by one. */
  evaluate(block: RowBlock): Iterable<CalculatedRows>;
}

export function columnOfTopics(column: CalculatedColumn): ColumnOfTopics {
  const evaluators = new Map(expressionsOf(column).map((placed) => [placed, columnEvaluator(placed)]));
  const known = new Map<string, ColumnEvaluator>();
  const of = (topic: string): ColumnEvaluator => {
    let evaluator = known.get(topic);
    if (evaluator === undefined) {
      evaluator = evaluators.get(expressionOfTopic(column, topic))!;
      known.set(topic, evaluator);
    }
    return evaluator;
  };

  return {
    of,
    *evaluate(block) {
      for (const [evaluator, rows] of rowsOfEvaluators(block)) {
        const found = evaluator.evaluate(block, rows);
        if (found !== undefined) yield found;
      }
    },
  };

  function rowsOfEvaluators({
    streams,
    streamIndex,
    count,
  }: RowBlock): Map<ColumnEvaluator, Uint32Array | undefined> {
    if (column.perTopic === undefined) return new Map([[evaluators.get(column)!, undefined]]);
    const ofStreams = streams.map(({ topic }) => of(topic));
    const first = ofStreams[0]!;
    if (streamIndex === undefined || ofStreams.every((one) => one === first))
      return new Map([[first, undefined]]);
    const found = new Map<ColumnEvaluator, { readonly rows: Uint32Array; length: number }>();
    for (let row = 0; row < count; row++) {
      const evaluator = ofStreams[streamIndex[row]!]!;
      let own = found.get(evaluator);
      if (own === undefined) {
        own = { rows: new Uint32Array(count), length: 0 };
        found.set(evaluator, own);
      }
      own.rows[own.length++] = row;
    }
    return new Map([...found].map(([evaluator, { rows, length }]) => [evaluator, rows.subarray(0, length)]));
  }
}
