import { isUtf8 } from 'node:buffer';
import { PitwallError } from '../../errors.ts';
import { fault } from '../base/fault.ts';
import { checkName } from '../base/name.ts';
import { isRounded } from '../json/rounded-numbers.ts';
import { addRow, checkPlace, checkText, type MessageRead } from './message-rows.ts';

/** What a bare value goes to. */
export interface ValuePlace {
  readonly topic: string;
  readonly streamId: string;
  readonly parameter: string;
}

const number = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/**
 * A bare value: a number, `true` or `false` (1 and 0), or any other text. A blank payload, which takes back what a
 * broker retains, and `nan`, are no value.
 */
export function readPlainValue(read: MessageRead, { topic, streamId, parameter }: ValuePlace): void {
  const { payload } = read.message;
  checkPlace(read, topic, streamId);
  checkName(parameter, 'parameter', read.rules.limits.maxNameBytes);
  if (!isUtf8(payload)) throw new PitwallError('bad_utf8', { detail: 'the payload is not valid UTF-8' });
  const text = checkText(read, parameter, payload).toString().replace(/\0$/, '');
  const value = readValue(text.trim(), parameter);
  if (value === undefined) {
    read.refused.leaveOut('no_value', 1);
    return;
  }
  if (typeof value === 'number' && isRounded(text.trim(), value))
    read.refused.leaveOut('rounded', 1, `${text.trim()} was rounded, for no double holds it`);
  const field = { name: parameter, value: value === 'text' ? Buffer.from(text) : value };
  addRow(read, { topic, streamId }, undefined, [field]);
}

function readValue(text: string, parameter: string): number | 'text' | undefined {
  if (text === '' || /^nan$/i.test(text)) return undefined;
  if (text === 'true') return 1;
  if (text === 'false') return 0;
  if (!number.test(text)) return 'text';
  const value = Number(text);
  if (Number.isFinite(value)) return value;
  throw fault('invalid_value', parameter, 'is beyond the range of a 64-bit floating point number');
}
