import { Kind, type ParameterKey } from '../../../domain/parameter-data.ts';
import type { Aggregator } from '../../../query/aggregator.ts';
import type { CountRows } from '../../../query/bounds/running-queries.ts';
import { type Calculated, expressionsOf } from '../../../query/plan/calculated.ts';
import type { AggregatePlan } from '../../../query/plan/plan.ts';
import type { Pace } from '../../../turns/pace.ts';
import { warmEvaluators } from '../../calculated/along-streams.ts';
import { rowsPlan } from '../../calculated/calculated-aggregate.ts';
import { calculatedRows } from '../../calculated/calculated-rows.ts';
import { rowAt } from '../../calculated/column-evaluator.ts';
import type { EvaluatorPool } from '../../calculated/evaluator-pool.ts';
import { type RowsBefore, rowsBefore } from '../../calculated/rows-before.ts';
import type { RowBlock } from '../../row-block.ts';
import { frameSize } from '../codecs/integer-frames.ts';
import { PresenceForm } from '../codecs/presence-codec.ts';
import type { ColumnEntry } from '../codecs/row-group-directory.ts';
import { rowOfClock } from '../codecs/times-codec.ts';
import type { EncodedGroup } from '../parts/encoded-group.ts';
import { windowStart } from '../rows/windows.ts';
import type { OpenSnapshot } from '../snapshot/snapshot.ts';
import { type PartGroup, readEncoded } from '../walk/walk-parts.ts';
import type { BoundStreams } from './bind-streams.ts';
import { ofStream, rowSource } from './execute.ts';

/** Of a plan that calculates. */
export interface RowsApart {
  /** Adds the rows of a stream, by its place, whose expressions name parameters that are stored apart. */
  addJoined(place: number): Promise<void>;
  /**
   * Shows the evaluators the rows of a stream before the first wanted one, as far as they look back.
   *
   * @param group has those rows, perhaps not all
   */
  seeBefore(place: number, group: PartGroup | undefined): Promise<void>;
}

/** What the rows are read with, and the evaluators that go on from stream to stream. */
interface RowsOfStreamParts {
  readonly open: OpenSnapshot;
  readonly pace: Pace;
  readonly countRows: CountRows;
  readonly lent: EvaluatorPool;
}

/** The rows of single streams of a plan that calculates, by their places. */
export function rowsOfStream(
  plan: AggregatePlan & { readonly calculated: Calculated },
  bound: BoundStreams,
  { open, pace, countRows, lent }: RowsOfStreamParts,
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

/** Arrays that grow to as many rows as a group has had. */
export interface GroupMemory {
  offsets: Float64Array;
  values: Float64Array;
}

/** A read went beyond the first row of a group. */
export class BeyondGroup extends Error {}

/** What is calculated, of which parameters: their numbers are undefined where nobody wrote them. */
export interface Operands {
  readonly parameters: readonly ParameterKey[];
  readonly numbers: readonly (number | undefined)[];
  readonly calculated: Calculated;
}

/**
 * The rows of a row group, for what looks back from a time inside it: only the frames that are asked for are decoded. Both
 * ways throw BeyondGroup where rows before the group may matter. Undefined where not every row has a number of each operand
 * that the group has.
 *
 * @param memory for one group at a time
 */
export function rowsOfGroup(
  view: EncodedGroup,
  { parameters, numbers, calculated }: Operands,
  memory: GroupMemory,
): RowsBefore | undefined {
  const expressions = calculated.columns.flatMap(expressionsOf);
  const entries = new Map<number, ColumnEntry>();
  for (const place of new Set(expressions.flatMap(({ operands }) => operands))) {
    const entry = view.columns.find(({ parameter }) => parameter === numbers[place]);
    if (entry === undefined) continue;
    if (entry.presenceForm !== PresenceForm.All || entry.kind !== Kind.Numeric) return undefined;
    entries.set(place, entry);
  }
  const { rows, window, minOffset } = view.handle;
  const base = windowStart(window);
  const { offsetsOf, placeOf } = clockOf(view, memory);
  const needsTags = expressions.some(({ expression }) => expression.tags.length > 0);
  const { tagSets, tagIndex } = needsTags ? view.tags() : noTags;
  if (memory.values.length < rows) memory.values = new Float64Array(rows);
  const rowOf = (time: bigint) => placeOf(Number(time - base));

  /** The rows [from, to) with the columns at some places, the last ones first where they are wanted so. */
  function block(from: number, to: number, places: readonly number[], descends: boolean): RowBlock {
    const marks = new Uint8Array(Math.ceil(rows / frameSize));
    marks.fill(1, Math.floor(from / frameSize), Math.ceil(to / frameSize));
    const turned = (own: Float64Array) => (descends ? own.reverse() : own);
    const index = tagIndex?.slice(from, to);
    return {
      count: to - from,
      base,
      offsets: turned(offsetsOf(from, to)),
      streamIndex: undefined,
      streams: [],
      tagSets,
      tagIndex: descends ? index?.reverse() : index,
      columns: places.map((place) => {
        const entry = entries.get(place);
        if (entry === undefined) return undefined;
        const values = turned(view.frames(entry, marks, memory.values).slice(from, to));
        return { kind: Kind.Numeric, name: parameters[place]!.name, values, present: undefined };
      }),
    };
  }

  const allPlaces = parameters.map((_, place) => place);
  return {
    async *forwards(from, before) {
      if (from < base + BigInt(minOffset)) throw new BeyondGroup();
      const [first, end] = [rowOf(from), rowOf(before)];
      if (first < end) yield block(first, end, allPlaces, false);
    },
    async *backwards(places, time) {
      let end = rowOf(time);
      for (let frames = 1; end > 0; frames *= 2) {
        const first = Math.max(0, (Math.ceil(end / frameSize) - frames) * frameSize);
        yield block(first, end, places, true);
        end = first;
      }
      throw new BeyondGroup();
    },
  };
}

/** When the rows of a group are. */
function clockOf(view: EncodedGroup, memory: GroupMemory) {
  const { step } = view;
  const { rows, minOffset } = view.handle;
  if (step === undefined || step === 0) {
    if (memory.offsets.length < rows) memory.offsets = new Float64Array(rows);
    const offsets = view.offsets(memory.offsets);
    return {
      /** Of the rows [from, to), in an array of their own. */
      offsetsOf: (from: number, to: number) => offsets.slice(from, to),
      /** The first row that is not before an offset. */
      placeOf: (offset: number) => rowAt(offsets, offset, rows),
    };
  }
  return {
    offsetsOf: (from: number, to: number) =>
      Float64Array.from({ length: to - from }, (_, i) => minOffset + (from + i) * step),
    placeOf: (offset: number) => rowOfClock(offset - minOffset, step, rows),
  };
}

const noTags = { tagSets: [], tagIndex: undefined };
