import type { Rows } from '../domain/parameter-data.ts';
import { isTimestamp } from '../domain/timestamp.ts';
import { fault } from './fault.ts';
import type { Payload } from './payload.ts';
import { rowsWithValues, selectRows } from './select-rows.ts';
import { splitSpan } from './split-span.ts';
import { combineTags, type TagColumn } from './tag-columns.ts';
import type { NarrowTimestamps, Timestamps, WideTimestamps } from './timestamps.ts';

/**
 * Puts the parts of a payload together, once all arrays have the length of the timestamps. Rows without any value
 * are left out. Throws `bad_timestamp` where a time leaves int64 when `epoch` is added.
 */
export function assembleRows(
  payload: Payload,
  times: Timestamps,
  epoch: bigint,
  tags: readonly TagColumn[],
): Rows[] {
  const checked = 'wide' in times ? shiftWide(payload, times, epoch) : shiftNarrow(payload, times, epoch);
  const { count } = times;
  const { columns } = payload;
  if (columns.length === 0) return [];
  const values = { columns, ...combineTags(tags, count, payload.tagMemory) };
  const rows = rowsWithValues(columns, count);
  if (checked instanceof BigInt64Array) {
    return splitSpan(checked, rows ?? Uint32Array.from({ length: count }, (_, row) => row), values);
  }
  const { base, offsets } = checked;
  if (rows === undefined) return [{ count, base, offsets, ...values }];
  const selected = Float64Array.from(rows, (row) => offsets[row]!);
  const min = selected.reduce((a, b) => Math.min(a, b));
  subtract(selected, min);
  return [{ count: rows.length, base: base + BigInt(min), offsets: selected, ...selectRows(values, rows) }];
}

function shiftNarrow(
  payload: Payload,
  { count, origin, offsets, min, max }: NarrowTimestamps,
  epoch: bigint,
) {
  const base = origin + BigInt(min) + epoch;
  if (count > 0 && epoch !== 0n && !(isTimestamp(base) && isTimestamp(base + BigInt(max - min)))) {
    throw outOfRange(
      payload,
      offsets.findIndex((offset) => !isTimestamp(origin + BigInt(offset) + epoch)),
    );
  }
  subtract(offsets, min);
  return { base, offsets };
}

function shiftWide(payload: Payload, { wide }: WideTimestamps, epoch: bigint): BigInt64Array {
  if (epoch === 0n) return wide;
  return wide.map((time, row) => {
    if (!isTimestamp(time + epoch)) throw outOfRange(payload, row);
    return time + epoch;
  });
}

function subtract(offsets: Float64Array, min: number): void {
  if (min === 0) return;
  for (let i = 0; i < offsets.length; i++) offsets[i]! -= min;
}

function outOfRange({ prefix }: Payload, row: number) {
  return fault('bad_timestamp', `${prefix}timestamps[${row}]`, 'plus epoch is not a 64-bit integer');
}
