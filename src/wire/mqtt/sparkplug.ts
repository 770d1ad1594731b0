import { PitwallError } from '../../errors.ts';
import { MessageFault } from '../../protobuf/wire-reader.ts';
import { excerpt, nameFlaw } from '../base/name.ts';
import type { Field, FieldValue } from '../lines/line-rows.ts';
import { maxMs } from '../series/series-rows.ts';
import { addRow, checkPlace, type MessageRead } from './message-rows.ts';
import type { MetricBirth, SparkplugNode } from './sparkplug-nodes.ts';
import {
  readSparkplug,
  type SparkplugMetric,
  type SparkplugPayload,
  type SparkplugValue,
} from './sparkplug-payload.ts';

/** Data types of metrics (Sparkplug 3.0, section 6.4.16) whose whole numbers have a sign. */
const Type = { Int8: 1, Int16: 2, Int32: 3, Int64: 4 } as const;

/** What an edge node says of itself beside its values. */
const ofProtocol = new Set([
  'bdSeq',
  'Node Control/Rebirth',
  'Node Control/Reboot',
  'Node Control/Next Server',
]);

const withValues = new Set(['NBIRTH', 'DBIRTH', 'NDATA', 'DDATA']);

/**
 * Sparkplug B (its specification 3.0): `spBv1.0/group/TYPE/node[/device]`. The group is the topic, the node or
 * `node/device` is the stream, a metric is a parameter. Births and data are rows, at the time of each metric in ms;
 * deaths, commands and states are left out. Data of a metric that no birth named asks for a rebirth, and is left out; so
 * do data behind a message that is missing, which are taken.
 */
export function readSparkplugMessage(read: MessageRead, workspace: string): void {
  const [, group = '', type = '', node = '', device] = read.message.topic.split('/');
  if (!withValues.has(type)) {
    read.refused.leaveOut('no_value', 1);
    // A device that dies has its place in the order of messages, too.
    if (type === 'DDEATH')
      read.nodes.find(workspace, group, node)?.follows(payloadOf(read.message.payload).seq);
    return;
  }
  if ((device !== undefined) !== type.startsWith('D'))
    throw new PitwallError('bad_name', { detail: `${type} of Sparkplug has a topic of another type` });
  const streamId = device === undefined ? node : `${node}/${device}`;
  checkPlace(read, group, streamId);
  const payload = payloadOf(read.message.payload);
  if (type === 'NBIRTH') read.nodes.born(workspace, group, node);
  const known = read.nodes.find(workspace, group, node);
  if (known === undefined) {
    read.rebirth(group, node);
    // Those that name themselves are taken all the same.
    addMetrics(read, { topic: group, streamId }, payload, undefined);
    return;
  }
  if (type.endsWith('BIRTH')) learnAll(read, known, streamId, payload);
  // What is missing may have been a birth, with other names.
  const isNext = known.follows(payload.seq);
  const areKnown = addMetrics(read, { topic: group, streamId }, payload, known);
  if (!isNext || !areKnown) read.rebirth(group, node);
}

function payloadOf(bytes: Buffer): SparkplugPayload {
  try {
    return readSparkplug(bytes);
  } catch (error) {
    if (!(error instanceof MessageFault)) throw error;
    throw new PitwallError('bad_encoding', { detail: `the payload is not Sparkplug B: ${error.message}` });
  }
}

function learnAll(
  read: MessageRead,
  node: SparkplugNode,
  streamId: string,
  { metrics }: SparkplugPayload,
): void {
  for (const { name, alias, type } of metrics) {
    if (name === undefined || name === '') continue;
    if (!read.nodes.learn(node, streamId, alias, { name, type }))
      read.refused.add('bad_series', 1, 'the node has too many metrics');
  }
}

/** Adds the rows of a message; false where a metric is not known. */
function addMetrics(
  read: MessageRead,
  place: { readonly topic: string; readonly streamId: string },
  { metrics, time }: SparkplugPayload,
  node: SparkplugNode | undefined,
): boolean {
  const { maxNameBytes, maxParameters } = read.rules.limits;
  const byTime = new Map<bigint, Field[]>();
  let isKnown = true;
  for (const metric of metrics) {
    const birth = birthOf(metric, place.streamId, node);
    if (birth === undefined) {
      isKnown = false;
      read.refused.add('bad_series', 1, `a metric of ${excerpt(place.streamId)} was not named in a birth`);
      continue;
    }
    if (ofProtocol.has(birth.name)) continue;
    const flaw = nameFlaw(birth.name, maxNameBytes);
    const value = flaw === undefined ? readValue(read, metric, birth) : undefined;
    if (flaw !== undefined) read.refused.add('bad_series', 1, `a metric ${flaw}`);
    if (value === undefined) continue;
    const at = timeOf(read, metric.time ?? time);
    if (at === undefined) continue;
    const fields = byTime.get(at) ?? [];
    fields.push({ name: birth.name, value });
    byTime.set(at, fields);
  }
  // A birth names all that a node has, which may be more than rows that are written together have.
  for (const [at, fields] of byTime)
    for (let from = 0; from < fields.length; from += maxParameters)
      addRow(read, place, at, fields.slice(from, from + maxParameters));
  return isKnown;
}

function birthOf(
  { name, alias, type }: SparkplugMetric,
  streamId: string,
  node: SparkplugNode | undefined,
): MetricBirth | undefined {
  if (name !== undefined && name !== '')
    return { name, type: type || (node?.types.get(`${streamId}\n${name}`) ?? 0) };
  const birth = alias === undefined ? undefined : node?.aliases.get(alias);
  return birth && { name: birth.name, type: type || birth.type };
}

function timeOf(read: MessageRead, ms: number | undefined): bigint | undefined {
  if (ms === undefined) return read.arrival();
  if (ms <= maxMs) return BigInt(ms) * 1_000_000n;
  read.refused.add('bad_time', 1, `${ms} is no time in milliseconds`);
  return undefined;
}

/** Undefined where there is none, which is counted. */
function readValue(read: MessageRead, metric: SparkplugMetric, birth: MetricBirth): FieldValue | undefined {
  const { value } = metric;
  if (metric.isNull || value === undefined || (value.kind === 'number' && Number.isNaN(value.value))) {
    read.refused.leaveOut('no_value', 1);
    return undefined;
  }
  switch (value.kind) {
    case 'number':
      return value.value;
    case 'whole':
      return wholeOf(read, value, birth);
    case 'text': {
      const bytes = Buffer.from(value.value);
      const { maxStringBytes } = read.rules.limits;
      if (bytes.length <= maxStringBytes) return bytes;
      read.refused.add('bad_series', 1, `${excerpt(birth.name)} has more than ${maxStringBytes} bytes`);
      return undefined;
    }
    case 'other':
      read.refused.leaveOut('not_supported', 1, `${excerpt(birth.name)} has bytes, a table or a template`);
      return undefined;
  }
}

/** Whole numbers with a sign stand there as two's complement (section 6.4.16). */
function wholeOf(
  read: MessageRead,
  { low, high }: Extract<SparkplugValue, { readonly kind: 'whole' }>,
  { name, type }: MetricBirth,
): number {
  if (type === Type.Int8) return (low << 24) >> 24;
  if (type === Type.Int16) return (low << 16) >> 16;
  if (type === Type.Int32) return low | 0;
  const value = (type === Type.Int64 ? high | 0 : high) * 2 ** 32 + low;
  if (!Number.isSafeInteger(value)) {
    const exact = (BigInt(type === Type.Int64 ? high | 0 : high) << 32n) + BigInt(low);
    if (exact !== BigInt(value))
      read.refused.leaveOut('rounded', 1, `${excerpt(name)} is ${exact}, beyond 2^53, and was rounded`);
  }
  return value;
}
