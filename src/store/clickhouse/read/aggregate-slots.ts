import type { QueryMemory } from '../../../query/bounds/query-memory.ts';
import type { GroupTable } from '../../../query/groups/group-table.ts';
import { type SlotTable, slotTable } from '../../../query/groups/slot-table.ts';
import type { AggregatePlan } from '../../../query/plan/plan.ts';
import { maxBuckets, tooManyRows } from '../../../query/plan/time-buckets.ts';
import type { ColumnResults } from '../../../query/states/aggregations.ts';
import { AnswerGroups } from './answer-groups.ts';
import { needsFirstTime } from './group-sql.ts';
import { MeasuredValues } from './measured-values.ts';
import { isOfTexts, type Question } from './measures.ts';
import { type KeyedTexts, type NativeAnswerBlock, valuesOf } from './native-answer.ts';
import { RelativeBuckets } from './relative-buckets.ts';
import { type SlotValues, slotValues } from './slot-values.ts';
import type { TopicNames } from './topic-names.ts';

/** What ClickHouse answered, by group and bucket, as the service's own aggregations leave it. */
export interface GatheredSlots {
  add(question: Question, block: NativeAnswerBlock): Promise<void>;
  readonly groups: GroupTable;
  readonly slots: SlotTable;
  /** The number of the bucket that slots count theirs from. */
  origin(): bigint;
  /** The time of a slot's first row, where the plan needs it. */
  timeOf(slot: number): bigint;
  /** Aligned with the plan's columns. */
  results(): ColumnResults[];
}

export function gatherSlots(plan: AggregatePlan, memory: QueryMemory, topicNames: TopicNames): GatheredSlots {
  return new SlotGatherer(plan, memory, topicNames);
}

class SlotGatherer implements GatheredSlots {
  readonly #plan: AggregatePlan;
  readonly #groups: AnswerGroups;
  readonly #buckets: RelativeBuckets | undefined;
  readonly slots: SlotTable;
  readonly #measured: MeasuredValues;
  /** The time of each slot's first row. */
  readonly #times: SlotValues<BigInt64Array>;
  /** Places of parameters in the plan, by kind and name. */
  readonly #places: ReadonlyMap<string, number>;

  constructor(plan: AggregatePlan, memory: QueryMemory, topicNames: TopicNames) {
    const { buckets, parameters } = plan;
    this.#plan = plan;
    this.#groups = new AnswerGroups(plan, memory, topicNames);
    this.#buckets = buckets && new RelativeBuckets(buckets.width);
    this.slots = slotTable(memory, (count) => {
      if (buckets !== undefined && count > maxBuckets) throw tooManyRows();
    });
    this.#measured = new MeasuredValues(plan, memory);
    this.#times = slotValues(BigInt64Array, memory);
    this.#places = new Map(parameters.map(({ kind, name }, i) => [`${kind}:${name}`, i]));
  }

  get groups(): GroupTable {
    return this.#groups.table;
  }

  async add(question: Question, block: NativeAnswerBlock): Promise<void> {
    const { groupBy } = this.#plan;
    const [slots, buckets, times] = [this.slots, this.#buckets, this.#times];
    let at = 0;
    const names = valuesOf(block, at++, 'keys');
    const kinds = valuesOf(block, at++, 'bytes');
    const groupColumns = groupBy.map(() => valuesOf(block, at++, 'keys'));
    const bucketNumbers = buckets === undefined ? undefined : valuesOf(block, at++, 'integers');
    const firstTimes = needsFirstTime(this.#plan) ? valuesOf(block, at++, 'integers') : undefined;
    const groupOf = await this.#groups.finder(groupColumns);
    // Several that are calculated may have one name, with aggregations of their own.
    const placeOf =
      question.calculated === undefined ? this.#placeFinder(names, kinds) : () => question.parameters[0]!;
    const slotOfRow = new Uint32Array(block.rows);
    const parameterOfRow = new Uint32Array(block.rows);
    for (let row = 0; row < block.rows; row++) {
      const bucket = bucketNumbers === undefined ? 0 : buckets!.relative(bucketNumbers[row]!);
      const slot = slots.slotOf(groupOf(row), bucket);
      slotOfRow[row] = slot;
      parameterOfRow[row] = placeOf(row);
      if (firstTimes !== undefined) times.putSmaller(slot, firstTimes[row]!);
    }
    const { parameters } = question;
    for (const measure of question.measures) {
      const isText = question.hasTexts && isOfTexts(measure);
      this.#measured.add(measure, isText, { block, place: at++, parameters, parameterOfRow, slotOfRow });
    }
  }

  origin(): bigint {
    return this.#buckets?.origin ?? 0n;
  }

  timeOf(slot: number): bigint {
    return this.#times.valueOf(slot);
  }

  results(): ColumnResults[] {
    return this.#plan.columns.map((column) => this.#measured.resultOf(column));
  }

  /** Returns the place of a row's parameter in the plan, by its kind and by where its name stands in a block. */
  #placeFinder(names: KeyedTexts, kinds: Uint8Array): (row: number) => number {
    const places = this.#places;
    const known = new Map<number, number[]>();
    return (row) => {
      const kind = kinds[row]!;
      const name = names.index[row]!;
      let ofKind = known.get(kind);
      if (ofKind === undefined) {
        ofKind = [];
        known.set(kind, ofKind);
      }
      ofKind[name] ??= places.get(`${kind}:${names.texts[name]}`)!;
      return ofKind[name];
    };
  }
}
