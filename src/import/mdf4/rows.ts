import { type FileBytes, FileFault } from '../file-bytes.ts';
import type { DataGroup, GroupOfFile } from './channel-group.ts';
import { type Run, readRecords } from './records.ts';
import { valuesAmong } from './values-among.ts';

/**
 * The rows of a data group as its records have them: of each channel group in their order. Throws a FileFault.
 * @typeParam Value what channels of these groups give
 * @param make what is given for each row, undefined where that is nothing
 */
export async function* readRows<Value, Made>(
  file: FileBytes,
  { data, groups }: DataGroup,
  make: (group: GroupOfFile, time: bigint, values: readonly Value[]) => Made | undefined,
  tally?: { bytes: number },
): AsyncGenerator<Made> {
  const byLayout = new Map(groups.map((group) => [group.layout, group]));
  const counts = new Map(groups.map((group) => [group, 0]));
  const among = valuesAmong(groups);
  for await (const run of readRecords(file, data, tally)) {
    if (run.layout.isVariable) {
      for (const group of among.add(run)) {
        for (const { time, values } of among.ready(group)) {
          const made = make(group, time, values as Value[]);
          if (made !== undefined) yield made;
        }
      }
      continue;
    }
    const group = byLayout.get(run.layout);
    if (group === undefined) continue;
    const { channels, master, start, layout } = group;
    const hasElsewhere = channels.some(({ elsewhere }) => elsewhere !== undefined);
    const first = counts.get(group)!;
    counts.set(group, first + run.count);
    for (let i = 0; i < run.count; i++) {
      const record = recordOf(run, i, layout.width);
      const time = start + nanoseconds(master(record, first + i), first + i);
      const values: unknown[] = channels.map((channel) => channel.read(record, first + i));
      if (hasElsewhere) {
        await takeBeside(group, values);
        if (!among.takeOrWait(group, { time, values })) continue;
      }
      const made = make(group, time, values as Value[]);
      if (made !== undefined) yield made;
    }
  }
  among.end();
}

/**
 * Looks through the records of a data group, without making rows of them where that is not needed: all have a time, values that stand elsewhere are there. Gives
 * after each run how many records it had. Throws a FileFault.
 * @param tally gets the bytes of the records, and whether the times of each group go forward
 */
export async function* checkRecords(
  file: FileBytes,
  group: DataGroup,
  tally: { bytes: number; isForward: boolean },
): AsyncGenerator<number> {
  const { data, groups } = group;
  if (groups.some(({ channels }) => channels.some(({ elsewhere }) => elsewhere !== undefined))) {
    const times = new Map<GroupOfFile, bigint>();
    const see = (one: GroupOfFile, time: bigint): number => {
      const before = times.get(one);
      if (before !== undefined && time <= before) tally.isForward = false;
      times.set(one, time);
      return 1;
    };
    yield* readRows(file, group, see, tally);
    return;
  }
  const byLayout = new Map(groups.map((one) => [one.layout, one]));
  const counts = new Map(groups.map((one) => [one, 0]));
  const last = new Map<GroupOfFile, number>();
  for await (const run of readRecords(file, data, tally)) {
    const one = byLayout.get(run.layout);
    if (one === undefined) continue;
    const first = counts.get(one)!;
    counts.set(one, first + run.count);
    let before = last.get(one) ?? Number.NEGATIVE_INFINITY;
    const watched = one.channels.filter(({ exact }) => exact !== undefined);
    const marked = one.channels.flatMap(({ marks }) => marks ?? []);
    for (let i = 0; i < run.count; i++) {
      const record = recordOf(run, i, one.layout.width);
      const seconds = one.master(record, first + i);
      checkTime(seconds, first + i);
      if (!(seconds > before) || (seconds - before < nearly && isOneTime(before, seconds)))
        tally.isForward = false;
      before = seconds;
      for (const channel of watched) channel.read(record, first + i);
      for (const marks of marked) if (!marks.isAny) marks.isValid(record);
    }
    last.set(one, before);
    yield run.count;
  }
}

/** The distance (s) below which two times may be one nanosecond. */
const nearly = 1e-8;

function isOneTime(before: number, seconds: number): boolean {
  return nanoseconds(before, 0) === nanoseconds(seconds, 0);
}

function recordOf(run: Run, i: number, width: number): DataView {
  return new DataView(run.bytes.buffer, run.bytes.byteOffset + run.at + i * run.stride, width);
}

/** Values beside the records, in the place of their offsets. */
async function takeBeside({ channels }: GroupOfFile, values: unknown[]): Promise<void> {
  for (const [i, { elsewhere }] of channels.entries()) {
    if (elsewhere?.values.kind !== 'beside') continue;
    const offset = values[i];
    if (typeof offset !== 'number') continue;
    const { data } = elsewhere.values;
    values[i] = elsewhere.decode(data.valueInMemory(offset) ?? (await data.valueAt(offset)));
  }
}

/** The longest recording, seconds: thirty years. */
const longest = 1e9;

function nanoseconds(seconds: number, row: number): bigint {
  checkTime(seconds, row);
  const whole = Math.trunc(seconds);
  return BigInt(whole) * 1_000_000_000n + BigInt(Math.round((seconds - whole) * 1e9));
}

function checkTime(seconds: number, row: number): void {
  if (!(Math.abs(seconds) <= longest))
    throw new FileFault(`record ${row + 1} has the time ${seconds} s`, undefined);
}
