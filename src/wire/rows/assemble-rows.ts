import type { Rows } from '../../domain/parameter-data.ts';
import { isTimestamp } from '../../domain/timestamp.ts';
import type { Steps } from '../../turns/steps.ts';
import { fault } from '../base/fault.ts';
import type { Payload } from './payload.ts';
import { rowsWithValues, selectSteps } from './select-rows.ts';
import { splitSteps } from './split-span.ts';
import { combineTags, commonTags, type TagColumn } from './tag-columns.ts';
import type { NarrowTimestamps, Timestamps, WideTimestamps } from './timestamps.ts';

/**
 * Puts the parts of a payload together, step by step, once all arrays have the length of the timestamps. Rows without any value
 * are left out. Throws `bad_timestamp` where a time leaves int64 when `epoch` is added.
 */
export function* assembleRows(
  payload: Payload,
  times: Timestamps,
  epoch: bigint,
  tags: readonly TagColumn[],
): Steps<Rows[]> {
  const checked =
    'wide' in times ? yield* shiftWide(payload, times, epoch) : shiftNarrow(payload, times, epoch);
  const { count } = times;
  const { columns } = payload;
  if (columns.length === 0) return [];
  const common = commonTags(tags);
  const tagged =
    common === undefined
      ? yield* combineTags(tags, count, payload.tagMemory)
      : { tagSets: [common], tagIndex: undefined };
  const values = { columns, ...tagged };
  const rows = rowsWithValues(columns, count);
  if (checked instanceof BigInt64Array) {
    return yield* splitSteps(checked, rows ?? allRows(count), values);
  }
  const { base, offsets } = checked;
  if (rows === undefined) return [{ count, base, offsets, ...values }];
  const selected = new Float64Array(rows.length);
  let min = Number.POSITIVE_INFINITY;
  for (let i = 0; i < rows.length; i++) {
    selected[i] = offsets[rows[i]!]!;
    min = Math.min(min, selected[i]!);
  }
  subtract(selected, min);
  const left = yield* selectSteps(values, rows);
  return [{ count: rows.length, base: base + BigInt(min), offsets: selected, ...left }];
}

export function allRows(count: number): Uint32Array {
  const rows = new Uint32Array(count);
  for (let row = 0; row < count; row++) rows[row] = row;
  return rows;
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

const rowsOfStep = 8192;

function* shiftWide(payload: Payload, { wide }: WideTimestamps, epoch: bigint): Steps<BigInt64Array> {
  if (epoch === 0n) return wide;
  for (let row = 0; row < wide.length; row++) {
    if (row > 0 && row % rowsOfStep === 0) yield;
    const time = wide[row]! + epoch;
    if (!isTimestamp(time)) throw outOfRange(payload, row);
    wide[row] = time;
  }
  return wide;
}

function subtract(offsets: Float64Array, min: number): void {
  if (min === 0) return;
  for (let i = 0; i < offsets.length; i++) offsets[i]! -= min;
}

function outOfRange({ prefix }: Payload, row: number) {
  return fault('bad_timestamp', `${prefix}timestamps[${row}]`, 'plus epoch is not a 64-bit integer');
}
