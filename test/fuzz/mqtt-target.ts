import { generate, type Packet as LibraryPacket } from 'mqtt-packet';
import { noTags } from '../../src/domain/tags.ts';
import { PitwallError } from '../../src/errors.ts';
import { BadPacket, loadPackets, type Packet, PacketReader } from '../../src/mqtt/packets.ts';
import { FilterTree, filterFlaw, topicFlaw } from '../../src/mqtt/topic-filter.ts';
import { whole } from '../../src/turns/steps.ts';
import { createTextCache } from '../../src/wire/json/text-cache.ts';
import { GatheredRows } from '../../src/wire/mqtt/gathered-rows.ts';
import type { MessageRead } from '../../src/wire/mqtt/message-rows.ts';
import { messageSteps } from '../../src/wire/mqtt/read-message.ts';
import { SparkplugNodes } from '../../src/wire/mqtt/sparkplug-nodes.ts';
import { topicRule, usualRules } from '../../src/wire/mqtt/topic-rules.ts';
import { ParameterDataDecoder } from '../../src/wire/rows/parameter-data.ts';
import { Refused } from '../../src/wire/series/refused.ts';
import { defaultPayloadLimits as limits } from '../payload-limits.ts';
import { mutate } from './mutate.ts';
import { randomOf } from './random.ts';
import type { Target } from './target.ts';

await loadPackets();

const publish = {
  cmd: 'publish',
  topic: 'a/b/c',
  payload: '12.5',
  qos: 1,
  dup: false,
  retain: false,
  messageId: 7,
};
const session = (protocolVersion: 4 | 5) => {
  const packets = [
    {
      cmd: 'connect',
      clientId: 'é1',
      protocolId: 'MQTT',
      protocolVersion,
      clean: true,
      keepalive: 60,
      username: 'u',
      password: Buffer.from('p'),
      will: { topic: 'w', payload: Buffer.from('x'), qos: 1, retain: true },
      ...(protocolVersion === 5 && {
        properties: { sessionExpiryInterval: 5, userProperties: { a: ['b', 'c'] } },
      }),
    },
    publish,
    { ...publish, qos: 2, dup: true, payload: '{"time":1,"v":2}' },
    { cmd: 'pubrel', messageId: 7, reasonCode: 0 },
    {
      cmd: 'subscribe',
      messageId: 8,
      subscriptions: [{ topic: 'a/+/#', qos: 2, nl: true, rap: false, rh: 1 }],
    },
    { cmd: 'unsubscribe', messageId: 9, unsubscriptions: ['a/#'] },
    { cmd: 'puback', messageId: 3, reasonCode: 0 },
    { cmd: 'pingreq' },
    { cmd: 'disconnect', reasonCode: 4 },
  ];
  return Buffer.concat(packets.map((packet) => generate(packet as LibraryPacket, { protocolVersion })));
};
const sessions = [session(4), session(5)];
const words = [
  [0x10],
  [0x30],
  [0x32],
  [0x82],
  [0xff, 0xff, 0xff, 0x7f],
  [0x80, 0x80],
  [0, 0],
  [0xff, 0xff],
  [0x26],
].map((bytes) => Buffer.from(bytes));

const maxBytes = 4096;

/**
 * However the bytes of a connection are cut, the same packets come of them, none above the limit, and the same end.
 */
const packetTarget: Target = {
  name: 'mqtt',
  short: 1500,
  make: (random) => mutate(random.pick(sessions), random, words, sessions),
  check(input) {
    const one = told([input]);
    const cut = told(pieces(input));
    if (one !== cut) throw new Error(`reads ${one} whole and ${cut} cut`);
  },
};

function told(chunks: readonly Buffer[]): string {
  const packets: Packet[] = [];
  const reader = new PacketReader(maxBytes, (packet) => packets.push(packet));
  const all = (end: string): string => `${JSON.stringify(packets)} ${end}`;
  for (const chunk of chunks) {
    try {
      let hasMore = reader.read(Buffer.from(chunk));
      while (hasMore) hasMore = reader.readOn();
    } catch (error) {
      if (!(error instanceof BadPacket)) throw error;
      // One that is too long is told of as soon as its length is there, with what came before it.
      return all('bad');
    }
    for (const { length = 0 } of packets)
      if (length > maxBytes) throw new Error(`a packet of ${length} bytes`);
    if (reader.unfinished > maxBytes + chunk.length) throw new Error(`${reader.unfinished} bytes wait`);
  }
  return all(`${reader.unfinished} wait`);
}

function pieces(input: Buffer): Buffer[] {
  const random = randomOf(input);
  const chunks: Buffer[] = [];
  for (let at = 0; at < input.length; ) {
    const end = Math.min(input.length, at + 1 + random.below(9));
    chunks.push(input.subarray(at, end));
    at = end;
  }
  return chunks;
}

const topics = usualRules.map(topicRule);
const decoder = new ParameterDataDecoder(limits);
const names = createTextCache();
const texts = [
  'a/b/c\n12.5',
  'a/b\n{"time":1700000000,"v":1,"o":{"p":[1,"x",true,null]},"s":"y"}',
  'a/b\n[{"timestamps":[1,2],"numericValues":{"v":[1,null]}},{"streamId":"s","timestamps":[],"tagValues":{}}]',
  'collectd/h/cpu-0/cpu-idle\n1700000000.5:42:7\0',
  'telegraf/h/m\nm,t=a f=1,g="x" 1700000000000000000\nm f=2\n',
  'spBv1.0/g/NBIRTH/n\n\x08\x01\x12\x0b\x0a\x01a\x10\x01\x20\x03\x50\x05\x18\x02',
  'spBv1.0/g/DDATA/n/d\n\x12\x06\x10\x01\x50\x7f\x38\x01',
].map((text) => Buffer.from(text, 'latin1'));
const parts = [
  '/',
  '+',
  '#',
  '\n',
  '{',
  '}',
  '[',
  ']',
  '"',
  ':',
  '1e400',
  'nan',
  '\0',
  '"timestamps":',
  '\x12',
  '\xff',
].map((part) => Buffer.from(part, 'latin1'));

/**
 * A message is read as rows of no more values than it has bytes, the same ones a second time, or refused with an
 * error of ours.
 */
const messageTarget: Target = {
  name: 'mqtt-message',
  short: 1500,
  make: (random) => mutate(random.pick(texts), random, parts, texts),
  check(input) {
    const end = Math.max(0, input.indexOf('\n'));
    const topic = input.toString('utf8', 0, end);
    const first = read(topic, input.subarray(end + 1));
    if (first !== read(topic, input.subarray(end + 1))) throw new Error('reads other values the second time');
    if (typeof first === 'number' && first > input.length)
      throw new Error(`${first} values of ${input.length} bytes`);
    matches(topic);
  },
};

/** How many values a message has, or the code of its error. */
function read(topic: string, payload: Buffer): number | string {
  const reading: MessageRead = {
    rules: { topics, timeFields: ['time'], streamTags: [], limits, names },
    decoder,
    nodes: new SparkplugNodes(),
    message: { topic, payload, client: 'c', tags: noTags },
    rows: [],
    streams: [],
    refused: new Refused(),
    arrival: () => 1n,
    rebirth: () => undefined,
  };
  decoder.begin();
  try {
    whole(messageSteps(reading, 'w'));
  } catch (error) {
    if (error instanceof PitwallError) return error.code;
    throw error;
  }
  const gathered = new GatheredRows(limits.maxParameters);
  for (const row of reading.rows) gathered.add(row, noTags);
  let values = 0;
  for (const { rows } of [...reading.streams, ...gathered.streams()])
    for (const { count, columns } of rows) values += count * columns.length;
  return values;
}

/** A filter that is a topic matches it, and so does each with its first or last level as a wildcard. */
function matches(topic: string): void {
  if (topicFlaw(topic) !== undefined || filterFlaw(topic) !== undefined || topic.startsWith('$')) return;
  const levels = topic.split('/');
  const filters = [topic, '#', ['+', ...levels.slice(1)].join('/'), [...levels.slice(0, -1), '#'].join('/')];
  const tree = new FilterTree<string>();
  for (const filter of filters) tree.set(filter, filter);
  const found = tree.matches(topic);
  for (const filter of filters)
    if (!found.includes(filter)) throw new Error(`${filter} does not match ${topic}`);
  for (const filter of filters) tree.delete(filter);
  if (tree.size !== 0 || tree.matches(topic).length > 0)
    throw new Error(`${topic} matches what was taken out`);
}

export const mqttTargets: readonly Target[] = [packetTarget, messageTarget];
