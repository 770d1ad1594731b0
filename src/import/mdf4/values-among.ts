import { FileFault } from '../file-bytes.ts';
import type { GroupOfFile, GroupRow } from './channel-group.ts';
import type { Run } from './records.ts';

/** A row of which values are awaited: they may come behind it. */
interface Waiting {
  readonly time: bigint;
  readonly values: unknown[];
}

/** Bytes of values that came before the rows that name them, and rows that came before their values. */
const mostInMemory = 64 << 20;
const mostWaiting = 100_000;

/** Values that stand among the records, by their place in the order of their group; kept until rows need them no more. */
export function valuesAmong(groups: readonly GroupOfFile[]) {
  const arrived = new Map<number, Map<number, Uint8Array>>();
  const next = new Map<number, number>();
  const readers = new Map<number, GroupOfFile[]>();
  const waiting = new Map(groups.map((group) => [group, [] as Waiting[]]));
  let bytes = 0;
  for (const group of groups) {
    for (const { elsewhere } of group.channels) {
      if (elsewhere?.values.kind !== 'among') continue;
      const { group: values } = elsewhere.values;
      readers.set(values, [...(readers.get(values) ?? []), group]);
      arrived.set(values, new Map());
    }
  }

  /** Puts values in their places; false where one has not come. */
  const take = ({ channels }: GroupOfFile, values: unknown[]): boolean => {
    const found = channels.map(({ elsewhere }, i) =>
      elsewhere?.values.kind === 'among' && typeof values[i] === 'number'
        ? arrived.get(elsewhere.values.group)!.get(values[i])
        : null,
    );
    if (found.includes(undefined)) return false;
    for (const [i, { elsewhere }] of channels.entries()) {
      if (found[i] === null || found[i] === undefined || elsewhere?.values.kind !== 'among') continue;
      forgetBefore(arrived.get(elsewhere.values.group)!, values[i] as number);
      values[i] = elsewhere.decode(found[i]);
    }
    return true;
  };

  const forgetBefore = (values: Map<number, Uint8Array>, offset: number): void => {
    for (const [at, one] of values) {
      if (at >= offset) return;
      bytes -= one.length;
      values.delete(at);
    }
  };

  return {
    /** Takes up a value; gives the groups that may have waited for it. */
    add({ layout, bytes: all, at, length }: Run): readonly GroupOfFile[] {
      const offset = next.get(layout.offset) ?? 0;
      next.set(layout.offset, offset + length);
      const values = arrived.get(layout.offset);
      if (values === undefined) return [];
      values.set(offset, all.slice(at + 4, at + length));
      bytes += length;
      if (bytes > mostInMemory)
        throw new FileFault(`values of variable length stand too far from their records`, layout.offset);
      return [...new Set(readers.get(layout.offset) ?? [])];
    },
    /** Whether the row is whole now and no other waits before it; else it waits. */
    takeOrWait(group: GroupOfFile, row: Waiting): boolean {
      const others = waiting.get(group)!;
      if (others.length === 0 && take(group, row.values)) return true;
      if (others.push(row) > mostWaiting)
        throw new FileFault(
          'values of variable length stand too far from their records',
          group.layout.offset,
        );
      return false;
    },
    /** Rows of a group that are whole by now. */
    *ready(group: GroupOfFile): Generator<GroupRow<unknown>> {
      const rows = waiting.get(group)!;
      let count = 0;
      while (count < rows.length && take(group, rows[count]!.values)) {
        const { time, values } = rows[count++]!;
        yield { group, time, values };
      }
      rows.splice(0, count);
    },
    end(): void {
      for (const [{ layout }, rows] of waiting) {
        if (rows.length > 0)
          throw new FileFault(
            `a value of variable length is not there, of ${rows.length} records`,
            layout.offset,
          );
      }
    },
  };
}
