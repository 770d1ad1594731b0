import type { Pace } from '../../../turns/pace.ts';
import { frameTableBytes } from '../codecs/frame-table.ts';
import { frameSize } from '../codecs/integer-frames.ts';
import { type PartIndex, runStart } from '../parts/part-index.ts';
import { offsetsIn } from '../parts/part-record.ts';
import { spanBytesOf } from '../parts/span-file.ts';
import { readSummedColumn, type SummedColumn } from '../parts/summed-column.ts';
import { readable } from './indexed-parts.ts';
import type { PartOfWindow } from './small-groups.ts';
import type { ColumnOfPart } from './summed-rows.ts';

/** The columns of each part that a read has, aligned with the plan's parameters. */
export type ColumnsOfParts = readonly (readonly (ColumnOfPart | undefined)[])[];

/**
 * The columns in the form from which sums come fastest: those that are kept, and those that are read now and kept. Undefined
 * where a read has too little of a part for that, or they would not fit into the cache together.
 *
 * @param parameters aligned with the plan's; undefined where nobody wrote it
 * @param streams how many are read
 */
export async function summedColumnsOf(
  parts: readonly PartOfWindow[],
  parameters: readonly (number | undefined)[],
  streams: number,
  pace: Pace,
): Promise<ColumnsOfParts | undefined> {
  const wanted = parameters.filter((number) => number !== undefined);
  let bytes = 0;
  for (const part of parts) {
    const { index } = part.indexed.kept;
    if (!takesMuch(part, streams)) return undefined;
    for (const parameter of wanted) {
      // What is kept already makes no difference: the same question has the same answer.
      const more = await estimate(index, setsWith(index, parameter), pace);
      if (part.indexed.reader.summedColumns?.hasRoom(more) !== true) return undefined;
      bytes += more;
    }
  }
  if (parts.some(({ indexed }) => !indexed.reader.summedColumns!.hasRoom(bytes / mostItems)))
    return undefined;
  const found: (ColumnOfPart | undefined)[][] = [];
  for (const part of parts) {
    const ofPart: (ColumnOfPart | undefined)[] = [];
    for (const parameter of parameters) {
      if (parameter === undefined) ofPart.push(undefined);
      else {
        const summed = await columnOf(part, parameter, pace);
        if (summed === null) return undefined;
        ofPart.push({ summed, inSet: setsWith(part.indexed.kept.index, parameter) });
      }
    }
    found.push(ofPart);
  }
  return found;
}

/** All columns of a read take at most so many times what one may take. */
const mostItems = 3;
/** A read wants at least this share of the streams and of the time of a part. */
const leastShare = 1 / 4;

function takesMuch({ indexed, window, inside }: PartOfWindow, streams: number): boolean {
  const { runs } = indexed.kept.index;
  if (runs.windows !== undefined) return false;
  const { first, last } = offsetsIn(indexed.part.record, window);
  const common = Math.min(last, inside.last) - Math.max(first, inside.first);
  return streams >= leastShare * runs.count && common >= leastShare * (last - first);
}

/** By column set, whether it has a parameter. */
function setsWith({ runs }: PartIndex, parameter: number): Uint8Array {
  const found = new Uint8Array(runs.columnSets.count);
  for (const set of runs.columnSets.having(parameter)) found[set] = 1;
  return found;
}

/** Runs between two calls of the pace. */
const runsOfTurn = 2048;

/** What a column takes, about: all columns of a group as much as each other. */
async function estimate({ runs, groups, count }: PartIndex, inSet: Uint8Array, pace: Pace): Promise<number> {
  const columns = Uint32Array.from(inSet, (has, set) =>
    has === 0 ? 0 : runs.columnSets.parameters(set).length,
  );
  let bytes = 20 * count;
  for (let run = 0; run < runs.count; run++) {
    const turn = run % runsOfTurn === 0 ? pace() : undefined;
    if (turn !== undefined) await turn;
    const ofRun = columns[runs.sets[run]!]!;
    if (ofRun === 0) continue;
    for (let group = runStart(runs, run); group < runs.ends[run]!; group++)
      bytes += groups.lengths[group]! / ofRun + frameTableBytes * Math.ceil(groups.rows[group]! / frameSize);
  }
  return bytes;
}

/**
 * The column that is kept, or reads it and keeps it; null where it is too large. What is read goes past the cache: beside
 * the row groups of a large part the columns that were read before would go.
 */
async function columnOf(
  { indexed }: PartOfWindow,
  parameter: number,
  pace: Pace,
): Promise<SummedColumn | null> {
  const { part, reader, kept } = indexed;
  const items = reader.summedColumns!;
  const known = items.get(parameter);
  if (known !== undefined) return known;
  const wanted = new Set([parameter]);
  const { view } = reader.inSpans(spanBytesOf(1), false);
  const read = () =>
    readSummedColumn(kept.index, parameter, (handle) => view(handle, wanted), items.hasRoom, pace);
  const summed = await readable(part, read);
  items.put(parameter, summed, summed?.bytes ?? 0);
  return summed;
}
