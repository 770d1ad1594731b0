import { PitwallError } from '../../errors.ts';
import type { Steps } from '../../turns/steps.ts';
import { fault } from '../base/fault.ts';
import { checkMemberName, excerpt } from '../base/name.ts';
import { longBodyBytes } from '../json/in-slices.ts';
import type { MemoryShare } from '../json/json-memory.ts';
import { describeValue, type JsonObject, type JsonValue, memberPath } from '../json/json-value.ts';
import { isRounded, RoundedNumbers } from '../json/rounded-numbers.ts';
import { elementSteps } from '../json/value.ts';
import type { Field } from '../lines/line-rows.ts';
import { parameterDataBatchSteps, parameterDataSteps, type StreamRows } from '../rows/parameter-data.ts';
import { readFlatObject } from './flat-object.ts';
import { addRow, checkPlace, checkText, type MessageRead, withTags } from './message-rows.ts';
import { messageTime } from './message-time.ts';

/**
 * JSON of a message: parameter data as over HTTP (an object with `timestamps`), an array of such, or flat objects,
 * one or an array:
 *
 *   { "time": 1700000000, "speed": 12.5, "gear": "N", "pit": true, "engine": { "rpm": 9000 }, "wheels": [1, 2] }
 *
 * Numbers, texts and booleans (1 and 0) are parameters; those within an object or array have a name with dots
 * (`engine.rpm`, `wheels.0`). null is no value. A time alone with an object `values` is the time of these values.
 */
export function* jsonSteps(
  read: MessageRead,
  topic: string,
  streamId: string,
  share?: MemoryShare,
): Steps<void> {
  checkPlace(read, topic, streamId);
  const { payload } = read.message;
  if (isParameterData(payload)) {
    const streams = yield* parameterData(read, streamId, share);
    const series = streams.map((one) => ({ topic, ...one, ends: [] }));
    read.streams.push(...withTags(read, series));
    return;
  }
  const flat = payload.length < longBodyBytes ? readFlatObject(read) : undefined;
  if (flat !== undefined) {
    addRow(read, { topic, streamId }, flat.time, flat.fields);
    return;
  }
  const row = (value: JsonValue, path: string): void => addFlat(read, { topic, streamId }, value, path);
  yield* elementSteps(payload, row, share);
}

const timesName = '"timestamps"';

/** A property of this name is no field of a flat object: it has an array. A text may have the name, too. */
function isParameterData(payload: Buffer): boolean {
  for (let at = payload.indexOf(timesName); at >= 0; at = payload.indexOf(timesName, at + 1))
    if (/^"timestamps"\s*:\s*\[/.test(payload.toString('latin1', at, at + 64))) return true;
  return false;
}

const brackets = /^(?:\xef\xbb\xbf)?\s*\[/;

function* parameterData(read: MessageRead, streamId: string, share?: MemoryShare): Steps<StreamRows[]> {
  const { payload } = read.message;
  const { rules, decoder } = read;
  const { limits } = rules;
  const isBatch = brackets.test(payload.toString('latin1', 0, 64));
  if (payload.length < longBodyBytes) {
    const streams = decoder.decodeNext(payload, isBatch, streamId, share);
    noteRounded(read, decoder.rounded);
    return streams;
  }
  const form = { rounded: new RoundedNumbers(), otherwise: streamId };
  const streams = isBatch
    ? yield* parameterDataBatchSteps(payload, limits, share, form)
    : [{ streamId, rows: yield* parameterDataSteps(payload, limits, share, form) }];
  noteRounded(read, form.rounded);
  return streams;
}

function noteRounded({ refused }: MessageRead, { count, text }: RoundedNumbers): void {
  refused.leaveOut('rounded', count, text);
}

function addFlat(
  read: MessageRead,
  place: { readonly topic: string; readonly streamId: string },
  value: JsonValue,
  path: string,
): void {
  if (!(value instanceof Map))
    throw fault('wrong_type', path, `must be an object, not ${describeValue(value)}`);
  const object = value as JsonObject;
  const timeField = read.rules.timeFields.find((name) => {
    const time = object.get(name);
    return time !== undefined && time !== null;
  });
  const time =
    timeField === undefined ? undefined : messageTime(object.get(timeField)!, memberPath(path, timeField));
  const inner = object.size === 2 && time !== undefined ? object.get('values') : undefined;
  const fields: Field[] = [];
  const from = inner instanceof Map ? (inner as JsonObject) : object;
  for (const [name, member] of from) {
    if (from === object && name === timeField) continue;
    addMember(read, name, member, fields);
  }
  checkNames(fields, path);
  addRow(read, place, time, fields);
}

/** Names with dots may be those of others: of `a.b` and of `b` in `a` one value would be lost. */
function checkNames(fields: readonly Field[], path: string): void {
  const seen = new Set<string>();
  for (const { name } of fields) {
    if (seen.has(name)) throw fault('duplicate_property', memberPath(path, name), 'stands twice');
    seen.add(name);
  }
}

function addMember(read: MessageRead, name: string, value: JsonValue, fields: Field[]): void {
  const { limits } = read.rules;
  if (value === null) {
    read.refused.leaveOut('no_value', 1);
    return;
  }
  if (typeof value === 'object' && !('text' in value)) {
    const members = value instanceof Map ? (value as JsonObject) : (value as readonly JsonValue[]).entries();
    for (const [inner, member] of members) addMember(read, `${name}.${inner}`, member, fields);
    return;
  }
  checkMemberName(name, '', limits.maxNameBytes);
  if (fields.length === limits.maxParameters)
    throw new PitwallError('too_many_parameters', {
      detail: `a message may have ${limits.maxParameters} parameters at most`,
    });
  if (typeof value === 'string') {
    fields.push({ name, value: checkText(read, name, Buffer.from(value)) });
    return;
  }
  if (typeof value === 'boolean') {
    fields.push({ name, value: value ? 1 : 0 });
    return;
  }
  const { text, value: number } = value as { readonly text: string; readonly value: number };
  if (isRounded(text, number))
    read.refused.leaveOut(
      'rounded',
      1,
      `${excerpt(name)} is ${text}, and was rounded, for no double holds it`,
    );
  fields.push({ name, value: number });
}
