import { isPresent } from '../../domain/parameter-data.ts';
import { compareTagSets } from '../../domain/tags.ts';
import type { FrameStatistics } from './codecs/frame-statistics.ts';
import { frameSize } from './codecs/integer-frames.ts';
import {
  decodeColumn,
  decodeColumnStatistics,
  decodeHead,
  type GroupHead,
} from './codecs/row-group-codec.ts';
import { StoredBytes } from './codecs/stored-bytes.ts';
import { type Damage, DamagedError, decodeStored } from './files/damage.ts';
import { openPart, type PartFile, type PartReader, type StoredGroup } from './parts/part-reader.ts';
import type { GroupColumn } from './rows/row-group.ts';

/**
 * Reads all of a part file and says what is damaged; nothing comes from an intact one. Damage in one row group
 * does not hide that in another. Rejects with NewerFormatError, and with what `file.read` rejects with.
 */
export async function* verifyPart(file: PartFile): AsyncGenerator<Damage, void, undefined> {
  try {
    const part = await openPart(file);
    let [rows, samples, intact] = [0, 0, true];
    for await (const group of part.storedGroups()) {
      for (const damage of damageIn(file.name, group, (count) => {
        samples += count;
      })) {
        intact = false;
        yield damage;
      }
      rows += group.handle.rows;
    }
    if (rows !== part.footer.rows || (intact && samples !== part.footer.samples)) yield wrongTotals(part);
  } catch (error) {
    if (!(error instanceof DamagedError)) throw error;
    yield error;
  }
}

function wrongTotals({ file, footer }: PartReader): Damage {
  const what = `${footer.rows} rows and ${footer.samples} samples should be in the row groups, and are not`;
  return { file: file.name, from: 0, to: footer.indexPosition, what };
}

function* damageIn(
  file: string,
  group: StoredGroup,
  counted: (samples: number) => void,
): Generator<DamagedError> {
  const { handle } = group;
  const stored = new StoredBytes(group.bytes);
  const end = handle.position + handle.length;
  const head = attempt(() => {
    const decoded = decodeHead(file, handle, stored);
    decodeStored(file, handle.position, end, 'a row group', () => checkOrder(decoded));
    return decoded;
  });
  if (head instanceof DamagedError) {
    yield head;
    return;
  }
  for (const entry of head.columns) {
    const outcome = attempt(() => {
      const column = decodeColumn(file, handle, entry, stored);
      const statistics = decodeColumnStatistics(file, handle, entry, stored);
      const what = `statistics of parameter ${entry.parameter}`;
      decodeStored(file, handle.position, end, what, () => checkStatistics(column, statistics, handle.rows));
    });
    if (outcome instanceof DamagedError) yield outcome;
    else counted(entry.present);
  }
}

function attempt<T>(action: () => T): T | DamagedError {
  try {
    return action();
  } catch (error) {
    if (error instanceof DamagedError) return error;
    throw error;
  }
}

function checkOrder({ offsets, tagSets, tagIndex }: GroupHead): void {
  for (let row = 1; row < offsets.length; row++) {
    const step = offsets[row]! - offsets[row - 1]!;
    const inOrder =
      step === 0 && tagIndex !== undefined
        ? compareTagSets(tagSets[tagIndex[row - 1]!]!, tagSets[tagIndex[row]!]!) < 0
        : step > 0;
    if (!inOrder) throw new RangeError(`row ${row} is out of order`);
  }
}

function checkStatistics(column: GroupColumn, statistics: FrameStatistics | undefined, rows: number): void {
  if (statistics === undefined || 'ends' in column) return;
  const { first, min, max, sum } = statistics;
  const present = Array.from({ length: rows }, (_, row) => row).filter((row) =>
    isPresent(column.present, row),
  );
  for (let frame = 0; frame < first.length; frame++) {
    if (Number.isNaN(first[frame]!)) continue;
    const values = present
      .slice(frame * frameSize, (frame + 1) * frameSize)
      .map((row) => column.values[row]!);
    const total = values.reduce((a, b) => a + b);
    // The stored sum of decimals is exact, this one is rounded at each step.
    const tolerance = values.reduce((a, b) => a + Math.abs(b), 0) * frameSize * Number.EPSILON;
    const agree =
      first[frame] === values[0] &&
      min[frame] === Math.min(...values) &&
      max[frame] === Math.max(...values) &&
      !(Math.abs(sum[frame]! - total) > tolerance);
    if (!agree) throw new RangeError(`frame ${frame} does not agree with its values`);
  }
}
