import { Kind } from '../../../domain/parameter-data.ts';
import type { QueryMemory } from '../../../query/bounds/query-memory.ts';
import type { AggregateColumn, AggregatePlan } from '../../../query/plan/plan.ts';
import type { NumberResults } from '../../../query/states/accumulator.ts';
import { aggregationRecord, type ColumnResults, type Measure } from '../../../query/states/aggregations.ts';
import { isOfTexts } from './measures.ts';
import { type NativeAnswerBlock, valuesOf } from './native-answer.ts';
import { type Measured, type SlotValues, slotValues, type TextValues, textValues } from './slot-values.ts';

/** The measures that ClickHouse answered of each parameter of a plan, by slot. */
export class MeasuredValues {
  readonly #memory: QueryMemory;
  readonly #parameters: AggregatePlan['parameters'];
  /** Aligned with the plan's parameters. */
  readonly #measured: readonly Map<Measure, Measured>[];

  constructor({ parameters }: AggregatePlan, memory: QueryMemory) {
    this.#memory = memory;
    this.#parameters = parameters;
    this.#measured = parameters.map(() => new Map());
  }

  /** Takes a column of a block, whose rows are of these slots and of these of the plan's parameters. */
  add(measure: Measure, isText: boolean, column: MeasuredColumn): void {
    const { block, place, parameters, parameterOfRow, slotOfRow } = column;
    const put = isText ? putTexts(block, place) : putNumbers(block, place);
    const values = this.#valuesOf(measure, isText, parameters);
    for (let row = 0; row < block.rows; row++) put(values[parameterOfRow[row]!]!, slotOfRow[row]!, row);
  }

  /** What a column of the plan's answer has in each slot. */
  resultOf({ parameter, aggregation }: AggregateColumn): ColumnResults {
    const values = this.#measured[parameter]!;
    const numbersOf = (measure: Measure) => values.get(measure) as SlotValues<Float64Array> | undefined;
    const { minNumbers, measures, value } = aggregationRecord(aggregation);
    if (isOfTexts(measures[0]!) && this.#parameters[parameter]!.kind !== Kind.Numeric) {
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

  /** The numbers or texts of a measure, by the places of parameters. */
  #valuesOf(measure: Measure, isText: boolean, parameters: readonly number[]): Measured[] {
    const found: Measured[] = [];
    for (const parameter of parameters) {
      const ofParameter = this.#measured[parameter]!;
      found[parameter] =
        ofParameter.get(measure) ??
        (isText ? textValues(this.#memory) : slotValues(Float64Array, this.#memory));
      ofParameter.set(measure, found[parameter]);
    }
    return found;
  }
}

/** A column of a block with one measure. */
export interface MeasuredColumn {
  readonly block: NativeAnswerBlock;
  /** Which of the block's columns it is. */
  readonly place: number;
  /** Those that have rows in it, as places in the plan. */
  readonly parameters: readonly number[];
  /** By row: the place of the parameter in the plan, and the slot. */
  readonly parameterOfRow: Uint32Array;
  readonly slotOfRow: Uint32Array;
}

function plain(values: SlotValues<Float64Array> | undefined): NumberResults {
  return { has: (slot) => values?.has(slot) === true, valueOf: (slot) => values!.valueOf(slot) };
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
