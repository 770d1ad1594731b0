import { Kind, type ParameterKey } from '../../../domain/parameter-data.ts';
import type { Calculated } from '../../../query/calculated.ts';
import { expressionsOf } from '../../../query/calculated.ts';
import { rowAt } from '../../calculated/column-evaluator.ts';
import type { RowsBefore } from '../../calculated/rows-before.ts';
import type { RowBlock } from '../../row-block.ts';
import { frameSize } from '../codecs/integer-frames.ts';
import { PresenceForm } from '../codecs/presence-codec.ts';
import type { ColumnEntry } from '../codecs/row-group-directory.ts';
import { rowOfClock } from '../codecs/times-codec.ts';
import type { EncodedGroup } from '../parts/encoded-group.ts';
import { windowStart } from '../rows/windows.ts';

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
