import { isPresent } from '../../domain/parameter-data.ts';
import { compareTagSets } from '../../domain/tags.ts';
import type { ColumnTotals } from './codecs/column-totals.ts';
import type { FrameStatistics } from './codecs/frame-statistics.ts';
import { decodeColumn, decodeColumnStatistics } from './codecs/group-columns.ts';
import { frameSize } from './codecs/integer-frames.ts';
import { decodeHead, type GroupHead } from './codecs/row-group-codec.ts';
import { StoredBytes } from './codecs/stored-bytes.ts';
import { type Damage, DamagedError, decodeStored } from './files/damage.ts';
import type { PartFile } from './parts/part-bytes.ts';
import { runStart } from './parts/part-index.ts';
import { openPart, type PartReader, type StoredGroup } from './parts/part-reader.ts';
import type { RunStatistics } from './parts/run-statistics.ts';
import type { GroupColumn } from './rows/row-group.ts';

/**
 * Reads all of a part file and says what is damaged; nothing comes from an intact one. Damage in one row group
 * does not hide that in another. Rejects with what `file.read` rejects with.
 */
export async function* verifyPart(file: PartFile): AsyncGenerator<Damage, void, undefined> {
  try {
    const part = await openPart(file);
    let [rows, samples, intact] = [0, 0, true];
    const totals = storedTotals(part);
    for await (const group of part.storedGroups()) {
      const known = await totals.next();
      if (known instanceof DamagedError) yield known;
      for (const damage of damageIn(file.name, group, (column, present) => {
        samples += present;
        if (known instanceof Map) checkTotals(column, known.get(column.parameter), group.handle.rows);
      })) {
        intact = false;
        yield damage;
      }
      rows += group.handle.rows;
    }
    const tags = await attempted(() => part.readTags());
    if (tags instanceof DamagedError) yield tags;
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
  counted: (column: GroupColumn, present: number) => void,
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
      const statistics = decodeColumnStatistics(file, handle, entry, stored, true);
      const what = `statistics of parameter ${entry.parameter}`;
      decodeStored(file, handle.position, end, what, () => {
        checkStatistics(column, statistics, handle.rows);
        counted(column, entry.present);
      });
    });
    if (outcome instanceof DamagedError) yield outcome;
  }
}

/** The totals of row groups as the part has them, group by group; the damage in place of those of a run. */
function storedTotals(part: PartReader) {
  let run = -1;
  let place = 0;
  let size = 0;
  let statistics: RunStatistics | undefined;
  return {
    async next(): Promise<Map<number, ColumnTotals | undefined> | DamagedError | undefined> {
      if (++place >= size) {
        const { runs } = await part.readIndex();
        run++;
        place = 0;
        size = runs.ends[run]! - runStart(runs, run);
        const read = await attempted(() => part.readStatistics(run));
        statistics = read instanceof DamagedError ? undefined : read;
        if (read instanceof DamagedError) return read;
      }
      return statistics && totalsAt(statistics, place);
    },
  };
}

function totalsAt(
  { parameters, groups }: RunStatistics,
  place: number,
): Map<number, ColumnTotals | undefined> {
  return new Map(parameters.map((parameter, i) => [parameter, groups[i]![place]]));
}

async function attempted<T>(action: () => Promise<T>): Promise<T | DamagedError> {
  try {
    return await action();
  } catch (error) {
    if (error instanceof DamagedError) return error;
    throw error;
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

function checkTotals(column: GroupColumn, totals: ColumnTotals | undefined, rows: number): void {
  if (totals === undefined || 'ends' in column) return;
  const values = column.values.filter((_, row) => row < rows && isPresent(column.present, row));
  const least = values.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const most = values.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  const agree =
    totals.count === values.length &&
    totals.first === values[0] &&
    totals.last === values.at(-1) &&
    totals.min === least &&
    totals.max === most &&
    isNear(totals.sum, values);
  if (!agree) throw new RangeError('the totals in the part do not agree with the values');
}

/** The stored sum of decimals is exact, this one is rounded at each step. */
function isNear(sum: number, values: ArrayLike<number>): boolean {
  let [total, magnitude] = [0, 0];
  for (let i = 0; i < values.length; i++) {
    total += values[i]!;
    magnitude += Math.abs(values[i]!);
  }
  return !(Math.abs(sum - total) > magnitude * values.length * Number.EPSILON);
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
    const agree =
      first[frame] === values[0] &&
      min[frame] === Math.min(...values) &&
      max[frame] === Math.max(...values) &&
      isNear(sum[frame]!, values);
    if (!agree) throw new RangeError(`frame ${frame} does not agree with its values`);
  }
}
