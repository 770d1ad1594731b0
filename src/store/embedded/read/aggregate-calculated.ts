import type { Aggregator } from '../../../query/aggregator.ts';
import type { Calculated } from '../../../query/calculated.ts';
import type { AggregatePlan } from '../../../query/plan.ts';
import type { CountRows } from '../../../query/running-queries.ts';
import type { Pace } from '../../../turns/pace.ts';
import { warmEvaluators } from '../../calculated/along-streams.ts';
import { rowsPlan } from '../../calculated/calculated-aggregate.ts';
import { calculatedRows } from '../../calculated/calculated-rows.ts';
import type { LentEvaluators } from '../../calculated/lent-evaluators.ts';
import { rowsBefore } from '../../calculated/rows-before.ts';
import type { BoundStreams } from './bind-streams.ts';
import { ofStream, rowSource } from './execute.ts';
import { BeyondGroup, rowsOfGroup } from './rows-of-group.ts';
import type { OpenSnapshot } from './snapshot.ts';
import { type PartGroup, readEncoded } from './walk-parts.ts';

/** The rows of single streams of a plan that calculates, by their places. */
export function rowsOfStream(
  plan: AggregatePlan & { readonly calculated: Calculated },
  bound: BoundStreams,
  open: OpenSnapshot,
  pace: Pace,
  countRows: CountRows,
  lent: LentEvaluators,
) {
  const { calculated, ...uncalculated } = plan;
  const stored = { ...rowsPlan(uncalculated), tagFilters: [] };
  const rows = { ...rowsPlan(plan), calculated };
  const keyOf = (place: number) => ({ streamId: bound.ids[place] ?? '', topic: bound.topics[place] ?? '' });
  const sourceOf = (place: number) => rowSource(plan, ofStream(bound, place), open, pace, countRows);
  const operands = { parameters: plan.parameters, numbers: bound.parameters, calculated };
  const memory = { offsets: new Float64Array(0), values: new Float64Array(0) };
  const wanted = new Set(bound.parameters.filter((number) => number !== undefined));
  return {
    /** Adds them in order of time, with what is calculated from them. */
    async add(place: number, aggregator: Aggregator): Promise<void> {
      aggregator.openStream(keyOf(place));
      for await (const block of calculatedRows(rows, sourceOf(place), lent)) aggregator.add(block);
    },
    /**
     * Shows the evaluators those before the first wanted one, as far as they look back.
     *
     * @param group in which the read begins, where nothing else has rows of the stream up to there
     */
    async seeBefore(place: number, group: PartGroup | undefined): Promise<void> {
      const key = keyOf(place);
      const ofGroup = group && rowsOfGroup(await readEncoded(group, wanted), operands, memory);
      try {
        if (ofGroup !== undefined) {
          await warmEvaluators(calculated, plan.from, key, ofGroup, lent.of);
          return;
        }
      } catch (error) {
        if (!(error instanceof BeyondGroup)) throw error;
      }
      const before = rowsBefore(stored, key, sourceOf(place));
      await warmEvaluators(calculated, plan.from, key, before, lent.of);
    },
  };
}
