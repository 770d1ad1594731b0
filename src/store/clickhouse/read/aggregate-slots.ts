import { Kind } from '../../../domain/parameter-data.ts';
import { noTags, type TagPair, type TagSet } from '../../../domain/tags.ts';
import type { NumberResults } from '../../../query/accumulator.ts';
import { aggregationRecord, type ColumnResults, type Measure } from '../../../query/aggregations.ts';
import { type GroupTable, groupTable } from '../../../query/group-table.ts';
import type { AggregateColumn, AggregatePlan } from '../../../query/plan.ts';
import { enlarge, type QueryMemory } from '../../../query/query-memory.ts';
import { type SlotTable, slotTable } from '../../../query/slot-table.ts';
import { bucketStart, checkBuckets, maxBuckets, tooManyRows } from '../../../query/time-buckets.ts';
import { needsFirstTime } from './group-sql.ts';
import { isOfTexts, type Question } from './measures.ts';
import { type KeyedTexts, type NativeAnswerBlock, valuesOf } from './native-answer.ts';
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
  const { groupBy, buckets } = plan;
  const groups = groupTable(groupBy, memory);
  const slots = slotTable(memory, (count) => {
    if (buckets !== undefined && count > maxBuckets) throw tooManyRows();
  });
  const measured = plan.parameters.map(() => new Map<Measure, Measured>());
  const times = slotValues(BigInt64Array, memory);
  const places = new Map(plan.parameters.map(({ kind, name }, i) => [`${kind}:${name}`, i]));
  let origin: bigint | undefined;
  let smallest = 0n;
  let largest = 0n;

  /** The number of a bucket, counted from the first that came; all of them have to be apart as doubles. */
  function relative(bucket: bigint): number {
    if (origin === undefined) {
      origin = bucket;
      smallest = bucket;
      largest = bucket;
    }
    if (bucket < smallest || bucket > largest) {
      if (bucket < smallest) smallest = bucket;
      else largest = bucket;
      const { width } = buckets!;
      const [from, to] = [bucketStart(smallest, width), bucketStart(largest, width)];
      checkBuckets({ width, interpolation: 'None' }, from, to);
    }
    return Number(bucket - origin);
  }

  /** The place of a row's parameter in the plan, by its kind and by where its name stands in a block. */
  function placeFinder(names: KeyedTexts, kinds: Uint8Array): (row: number) => number {
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

  /** The numbers or texts of a measure, by the places of parameters. */
  function measuredBy(measure: Measure, isText: boolean, parameters: readonly number[]): Measured[] {
    const found: Measured[] = [];
    for (const parameter of parameters) {
      const ofParameter = measured[parameter]!;
      found[parameter] =
        ofParameter.get(measure) ?? (isText ? textValues(memory) : slotValues(Float64Array, memory));
      ofParameter.set(measure, found[parameter]);
    }
    return found;
  }

  async function add(question: Question, block: NativeAnswerBlock): Promise<void> {
    let at = 0;
    const names = valuesOf(block, at++, 'keys');
    const kinds = valuesOf(block, at++, 'bytes');
    const groupColumns = groupBy.map(() => valuesOf(block, at++, 'keys'));
    const bucketNumbers = buckets === undefined ? undefined : valuesOf(block, at++, 'integers');
    const firstTimes = needsFirstTime(plan) ? valuesOf(block, at++, 'integers') : undefined;
    const groupOf = await groupFinder(groupColumns);
    // Several that are calculated may have one name, with aggregations of their own.
    const placeOf =
      question.calculated === undefined ? placeFinder(names, kinds) : () => question.parameters[0]!;
    const slotOfRow = new Uint32Array(block.rows);
    const parameterOfRow = new Uint32Array(block.rows);
    for (let row = 0; row < block.rows; row++) {
      const bucket = bucketNumbers === undefined ? 0 : relative(bucketNumbers[row]!);
      const slot = slots.slotOf(groupOf(row), bucket);
      slotOfRow[row] = slot;
      parameterOfRow[row] = placeOf(row);
      if (firstTimes !== undefined) times.putSmaller(slot, firstTimes[row]!);
    }
    for (const measure of question.measures) {
      const isText = question.hasTexts && isOfTexts(measure);
      const put = isText ? putTexts(block, at++) : putNumbers(block, at++);
      const values = measuredBy(measure, isText, question.parameters);
      for (let row = 0; row < block.rows; row++) put(values[parameterOfRow[row]!]!, slotOfRow[row]!, row);
    }
  }

  /** The group of a row by the texts of its columns; each combination is looked up once. */
  async function groupFinder(columns: readonly KeyedTexts[]): Promise<(row: number) => number> {
    const spelt = await Promise.all(
      columns.map(async ({ texts }, i) => (groupBy[i] === 'topic' ? topicNames(texts) : texts)),
    );
    /** Per column the combinations that it ends, by the one of the columns before and its own text: numbers from 0. */
    const combinations = columns.map(() => new Map<number, number>());
    const groupOfCombination: number[] = [];
    return (row) => {
      let combination = 0;
      for (let i = 0; i < columns.length; i++) {
        const { index, texts } = columns[i]!;
        const key = combination * texts.length + index[row]!;
        const found = combinations[i]!.get(key);
        combination = found ?? combinations[i]!.size;
        if (found === undefined) combinations[i]!.set(key, combination);
      }
      const known = groupOfCombination[combination];
      if (known !== undefined) return known;
      const group = groupNamed(columns.map(({ index }, i) => spelt[i]![index[row]!]!));
      groupOfCombination[combination] = group;
      return group;
    };
  }

  function groupNamed(texts: readonly string[]): number {
    const textOf = (tag: string) => texts[groupBy.indexOf(tag)] ?? '';
    groups.openStream({ streamId: textOf('streamId'), topic: textOf('topic') });
    const pairs = groupBy.flatMap((tag, i): TagPair[] => {
      if (tag === 'streamId' || tag === 'topic' || texts[i] === '') return [];
      return [[tag, JSON.parse(texts[i]!) as string]];
    });
    const set: TagSet = pairs.length === 0 ? noTags : { key: JSON.stringify(pairs), pairs };
    return groups.groupOf(set);
  }

  return {
    add,
    groups,
    slots,
    origin: () => origin ?? 0n,
    timeOf: (slot) => times.valueOf(slot),
    results: () => plan.columns.map((column) => resultOf(column, measured[column.parameter]!)),
  };

  function resultOf(
    { parameter, aggregation }: AggregateColumn,
    values: Map<Measure, Measured>,
  ): ColumnResults {
    const numbersOf = (measure: Measure) => values.get(measure) as SlotValues<Float64Array> | undefined;
    const { minNumbers, measures, value } = aggregationRecord(aggregation);
    if (isOfTexts(measures[0]!) && plan.parameters[parameter]!.kind !== Kind.Numeric) {
      const texts = values.get(measures[0]!) as TextValues | undefined;
      return { bytes: { bytesOf: (slot) => texts?.valueOf(slot) } };
    }
    if (minNumbers === 0) return { numbers: plain(numbersOf(measures[0]!)) };
    const counts = numbersOf('numbers');
    const has = (slot: number) => counts?.has(slot) === true && counts.valueOf(slot) >= minNumbers;
    // One function for all slots: to make one for each takes longer than to ask it.
    let asked = 0;
    const measuresOf = new Map(measures.map((measure) => [measure, numbersOf(measure)]));
    const ofAsked = (measure: Measure) => measuresOf.get(measure)!.valueOf(asked);
    return {
      numbers: {
        has,
        valueOf(slot) {
          asked = slot;
          return value(ofAsked);
        },
      },
    };
  }
}

function plain(values: SlotValues<Float64Array> | undefined): NumberResults {
  return { has: (slot) => values?.has(slot) === true, valueOf: (slot) => values!.valueOf(slot) };
}

type Measured = SlotValues<Float64Array> | TextValues;

/** A number per slot, as far as there is one. */
interface SlotValues<Values extends Float64Array | BigInt64Array> {
  has(slot: number): boolean;
  valueOf(slot: number): Values[number];
  put(slot: number, value: Values[number]): void;
  /** Keeps the smaller of what is there and the value. */
  putSmaller(slot: number, value: Values[number]): void;
}

interface TextValues {
  valueOf(slot: number): Uint8Array | undefined;
  put(slot: number, value: Uint8Array): void;
}

function slotValues<Values extends Float64Array | BigInt64Array>(
  Type: new (length: number) => Values,
  memory: QueryMemory,
): SlotValues<Values> {
  let values = new Type(0);
  let filled = new Uint8Array(0);
  const has = (slot: number) => filled[slot] === 1;
  function put(slot: number, value: Values[number]): void {
    if (slot >= filled.length) {
      const room = Math.max(16, 2 * slot);
      values = enlarge(values, room, memory);
      filled = enlarge(filled, room, memory);
    }
    filled[slot] = 1;
    values[slot] = value;
  }
  return {
    has,
    valueOf: (slot) => values[slot]!,
    put,
    putSmaller(slot, value) {
      if (!has(slot) || value < values[slot]!) put(slot, value);
    },
  };
}

/** What the engine takes for an array of bytes besides these, roughly. */
const textOverhead = 120;

function textValues(memory: QueryMemory): TextValues {
  const held: Uint8Array[] = [];
  return {
    valueOf: (slot) => held[slot],
    put(slot, value) {
      memory.take(value.length + textOverhead);
      held[slot] = value;
    },
  };
}

type Put = (values: Measured, slot: number, row: number) => void;

function putNumbers(block: NativeAnswerBlock, place: number): Put {
  const numbers = valuesOf(block, place, 'doubles');
  return (values, slot, row) => (values as SlotValues<Float64Array>).put(slot, numbers[row]!);
}

function putTexts(block: NativeAnswerBlock, place: number): Put {
  const { bytes, ends } = valuesOf(block, place, 'strings');
  return (values, slot, row) => {
    // A copy of its own: a view would hold the whole column.
    const copy = new Uint8Array(bytes.subarray(row === 0 ? 0 : ends[row - 1]!, ends[row]!));
    (values as TextValues).put(slot, copy);
  };
}
