import { type FileBytes, FileFault } from '../file-bytes.ts';
import type { DataGroup, GroupOfFile, GroupRow } from './channel-group.ts';
import { readRecords } from './records.ts';
import { valuesAmong } from './values-among.ts';

/**
 * The rows of a data group as its records have them: of each channel group in their order. Throws a FileFault.
 * @typeParam Value what channels of these groups give
 * @param tally gets the bytes of the records
 */
export async function* readRows<Value>(
  file: FileBytes,
  { data, groups }: DataGroup,
  tally?: { bytes: number },
): AsyncGenerator<GroupRow<Value>> {
  const byLayout = new Map(groups.map((group) => [group.layout, group]));
  const counts = new Map(groups.map((group) => [group, 0]));
  const among = valuesAmong(groups);
  for await (const run of readRecords(file, data, tally)) {
    if (run.layout.isVariable) {
      for (const group of among.add(run)) yield* among.ready(group) as Generator<GroupRow<Value>>;
      continue;
    }
    const group = byLayout.get(run.layout);
    if (group === undefined) continue;
    const { channels, master, start, layout } = group;
    const hasElsewhere = channels.some(({ elsewhere }) => elsewhere !== undefined);
    const first = counts.get(group)!;
    counts.set(group, first + run.count);
    for (let i = 0; i < run.count; i++) {
      const record = new DataView(
        run.bytes.buffer,
        run.bytes.byteOffset + run.at + i * run.stride,
        layout.width,
      );
      const time = start + nanoseconds(master(record, first + i), first + i);
      const values: unknown[] = channels.map((channel) => channel.read(record, first + i));
      if (hasElsewhere) {
        await takeBeside(group, values);
        if (!among.takeOrWait(group, { time, values })) continue;
      }
      yield { group, time, values: values as Value[] };
    }
  }
  among.end();
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
  if (!(Math.abs(seconds) <= longest))
    throw new FileFault(`record ${row + 1} has the time ${seconds} s`, undefined);
  const whole = Math.trunc(seconds);
  return BigInt(whole) * 1_000_000_000n + BigInt(Math.round((seconds - whole) * 1e9));
}
