import { PitwallError } from '../../errors.ts';
import { type Steps, whole } from '../../turns/steps.ts';
import { checkName, excerpt } from '../base/name.ts';
import { collectdCommandSteps } from '../collectd/commands.ts';
import type { MemoryShare } from '../json/json-memory.ts';
import { lineRowSteps } from '../lines/line-protocol.ts';
import { sampleTime } from '../series/sample-time.ts';
import { jsonSteps } from './flat-json.ts';
import { type MessageRead, withTags } from './message-rows.ts';
import { readPlainValue } from './plain-value.ts';
import { readSparkplugMessage } from './sparkplug.ts';
import { type MessageForm, type MessagePlace, placeOf } from './topic-rules.ts';

/**
 * Reads a message to rows, by the first rule that fits its topic and its payload. Throws a PitwallError where nothing
 * of it can be taken; what is left out of it is counted.
 */
export function* messageSteps(read: MessageRead, workspace: string, share?: MemoryShare): Steps<void> {
  const place = ruledPlace(read);
  const { form, topic, stream, parameter } = place;
  const { limits } = read.rules;
  const streamId = stream ?? read.message.client;
  switch (form) {
    case 'json':
      yield* jsonSteps(read, topic, streamId, share);
      noteNothing(read);
      break;
    case 'value':
      readPlainValue(read, { topic, streamId, parameter: parameter! });
      break;
    case 'line':
      yield* lineSteps(read, checkName(topic, 'topic', limits.maxNameBytes));
      noteNothing(read);
      break;
    case 'collectd':
      readCollectd(read, place);
      break;
    case 'sparkplug':
      readSparkplugMessage(read, workspace);
  }
}

/** Counts and tells of a message in which there is nothing, so that nobody takes it for written. */
function noteNothing({ rows, streams, refused }: MessageRead): void {
  const isEmpty = rows.length === 0 && streams.every((stream) => stream.rows.length === 0);
  if (isEmpty && refused.counts.size === 0) refused.add('no_value', 1, 'there is no value in it');
}

/** JSON and bare values can be told apart; the other forms are told by the topic alone. */
const fits: Readonly<Partial<Record<MessageForm, (payload: Buffer) => boolean>>> = {
  json: beginsJson,
  value: (payload) => !beginsJson(payload),
};

function beginsJson(payload: Buffer): boolean {
  const start = payload[0] === 0xef && payload[1] === 0xbb && payload[2] === 0xbf ? 3 : 0;
  for (let at = start; at < payload.length; at++) {
    const byte = payload[at]!;
    if (byte === 0x20 || (byte >= 0x09 && byte <= 0x0d)) continue;
    return byte === 0x7b || byte === 0x5b;
  }
  return false;
}

function ruledPlace({ message, rules }: MessageRead): MessagePlace {
  const levels = message.topic.split('/');
  let isForTopic = false;
  for (const rule of rules.topics) {
    const place = placeOf(rule, levels);
    if (place === undefined) continue;
    isForTopic = true;
    if (fits[rule.form]?.(message.payload) !== false) return place;
  }
  const what = isForTopic ? 'a payload like this on its topic' : 'its topic';
  throw new PitwallError('not_supported', { detail: `no rule of --mqtt-topics is for ${what}` });
}

function* lineSteps(read: MessageRead, topic: string): Steps<void> {
  const { limits, streamTags } = read.rules;
  const options = {
    unit: 1n,
    streamTags,
    limits,
    get now() {
      return read.arrival();
    },
  };
  const { streams, bad, firstBad, good, rounded } = yield* lineRowSteps(read.message.payload, options);
  if (firstBad !== undefined) {
    const text = `line ${firstBad.number} is bad: ${firstBad.reason}`;
    if (good === 0) throw new PitwallError('invalid_value', { detail: text });
    read.refused.add('bad_series', bad, text);
  }
  read.refused.leaveOut('rounded', rounded, 'numbers of lines were rounded, for no double holds them');
  const series = streams.map((one) => ({ topic, ...one, ends: [] }));
  read.streams.push(...withTags(read, series));
}

/**
 * What collectd's plugin mqtt sends: `prefix/host/plugin[-instance]/type[-instance]` with `time:value[:value…]` and a
 * NUL byte, which are the words of a command.
 */
function readCollectd(read: MessageRead, { topic, stream = '', rest }: MessagePlace): void {
  const { message, rules } = read;
  const values = message.payload.toString().replace(/\0+$/, '').trim();
  const quoted = [stream, ...rest].join('/').replaceAll(/["\\]/g, '\\$&');
  if (/[\n\r]/.test(values + quoted))
    throw new PitwallError('invalid_value', { detail: 'is no value of collectd' });
  const command = Buffer.from(`PUTVAL "${quoted}" ${values}`);
  const now = () => sampleTime(read.arrival());
  const { streams, refused } = whole(collectdCommandSteps(command, { topic, limits: rules.limits, now }));
  if (streams.length === 0 && refused.first !== undefined) {
    const detail = refused.first.replace(/^line 1 /, `the value of ${excerpt(message.topic)} `);
    throw new PitwallError('invalid_value', { detail });
  }
  for (const [reason, count] of refused.counts) read.refused.leaveOut(reason, count);
  read.streams.push(...withTags(read, streams));
}
