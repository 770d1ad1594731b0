import { channelNames } from '../channel-names.ts';
import { type FileBytes, FileFault } from '../file-bytes.ts';
import { type LoggedFile, type LoggedRow, latestStart, type TableRow } from '../logged-file.ts';
import { type Pace, withoutPause } from '../pace.ts';
import { chunkBytes } from './chunk.ts';
import { checkEnding } from './ending.ts';
import { decodeJsonMessage, type MessageDecoder, MessageFault } from './flatten.ts';
import { protobufDecoder } from './protobuf-messages.ts';
import { FieldReader, type McapRecord, Op, readRecords, recordsIn } from './records.ts';
import { cdrDecoder, ros1Decoder } from './ros-messages.ts';
import { createTopic, type FileFields, type Topic } from './topics.ts';

/** Schemas and channels of one file have numbers of 16 bits. */
interface Schema {
  readonly name: string;
  readonly encoding: string;
  readonly data: Uint8Array;
}

interface Channel {
  readonly topic: Topic;
  /** Undefined where its messages are not read. */
  readonly decode: MessageDecoder | undefined;
}

/** What stands in a file: its channels by number, its topics in order. */
interface World {
  readonly schemas: Map<number, Schema>;
  readonly channels: Map<number, Channel>;
  readonly topics: Map<string, Topic>;
  readonly leftOut: Set<string>;
  readonly fields: FileFields;
}

/**
 * An MCAP file: every message is read once to learn which fields there are; rows are read when they are asked for. Each
 * topic is a table, each field with numbers or text a channel `topic.field`, a row stands at the log time of its message.
 * A topic with messages that cannot be read is left out. Throws a FileFault, also where nothing else is there.
 * @param onBytes is told how far it is; what it throws ends the reading
 */
export async function openMcap(
  file: FileBytes,
  onBytes: (bytes: number) => void = () => undefined,
  pace: Pace = withoutPause,
): Promise<LoggedFile> {
  const world: World = {
    schemas: new Map(),
    channels: new Map(),
    topics: new Map(),
    leftOut: new Set(),
    fields: { count: 0, numberNames: channelNames(), textNames: channelNames() },
  };
  for await (const { record, channel, time, bytes } of messages(file, world)) {
    const pause = pace();
    if (pause !== undefined) await pause;
    const { topic, decode } = channel;
    if (decode === undefined || topic.fault !== undefined) continue;
    const visitor = topic.learner((path) => world.leftOut.add(`${topic.name}.${path}`), record.offset);
    topic.fault = faultOf(() => decode(bytes, visitor), `a message of ${topic.name}`, record.offset);
    topic.rows++;
    if (topic.start === undefined || time < topic.start) topic.start = time;
    if (topic.rows % 512 === 0) onBytes(record.offset);
  }
  const topics = readableTopics(world);
  const places = new Map(topics.map((topic, i) => [topic, i]));
  async function* readMixed(): AsyncGenerator<TableRow> {
    for await (const { record, channel, time, bytes } of messages(file, { ...world, leftOut: new Set() })) {
      const table = places.get(channel.topic);
      if (channel.decode === undefined || table === undefined) continue;
      const { values, visitor } = channel.topic.reader();
      const fault = faultOf(
        () => channel.decode!(bytes, visitor),
        `a message of ${channel.topic.name}`,
        record.offset,
      );
      if (fault !== undefined) throw fault;
      yield { table, row: { time, values, tags: [] } };
    }
  }
  async function* readTable(wanted: number): AsyncGenerator<LoggedRow> {
    for await (const { table, row } of readMixed()) if (table === wanted) yield row;
  }
  return {
    tables: topics.map(({ name, channels, rows }, i) => ({ name, channels, rows, read: () => readTable(i) })),
    tags: [],
    metadata: {},
    start: topics.reduce(
      (first, { start = first }) => (start < first ? start : first),
      topics[0]?.start ?? 0n,
    ),
    leftOut: [...world.leftOut],
    readMixed,
  };
}

/** Those that give rows; the faults of others are told. Throws the first of them where nothing can be read. */
function readableTopics({ topics, leftOut }: World): Topic[] {
  const faulty = [...topics.values()].filter(({ fault }) => fault !== undefined);
  const good = [...topics.values()].filter(
    ({ fault, channels }) => fault === undefined && channels.length > 0,
  );
  if (good.length === 0 && faulty.length > 0) throw faulty[0]!.fault!;
  for (const { name, fault } of faulty) leftOut.add(`${name} (${fault!.message})`);
  return good;
}

/** What keeps messages from being read; undefined where nothing does. */
function faultOf(read: () => void, what: string, offset: number): FileFault | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    if (!(error instanceof MessageFault)) throw error;
    return new FileFault(`${what} cannot be read: ${error.message}`, offset);
  }
}

interface Message {
  readonly record: McapRecord;
  readonly channel: Channel;
  readonly time: bigint;
  readonly bytes: Uint8Array;
}

async function* messages(file: FileBytes, world: World): AsyncGenerator<Message> {
  const records = readRecords(file);
  let count = 0;
  let isUnchecked = false;
  for (;;) {
    const { done, value } = await records.next();
    if (done === true) {
      await checkEnding(file, { end: value, messages: count, isUnchecked });
      return;
    }
    const chunk = value.op === Op.Chunk ? await chunkBytes(value) : undefined;
    isUnchecked ||= chunk?.isChecked !== true;
    for (const record of chunk === undefined ? [value] : recordsIn(chunk.bytes, value.offset)) {
      const message = take(record, world);
      if (message === undefined) continue;
      count++;
      yield message;
    }
  }
}

/** Takes up a schema or a channel, or gives the message that a record is. */
function take(record: McapRecord, world: World): Message | undefined {
  if (record.op === Op.Schema) takeSchema(record, world);
  else if (record.op === Op.Channel) takeChannel(record, world);
  if (record.op !== Op.Message) return undefined;
  const fields = new FieldReader(record);
  const id = fields.uint16();
  const channel = world.channels.get(id);
  if (channel === undefined)
    throw new FileFault(`a message is of channel ${id}, which is not described before it`, record.offset);
  fields.uint32();
  const time = fields.uint64();
  fields.uint64();
  if (time > latestStart)
    throw new FileFault(`the time of a message, ${time} ns, is too late to be kept`, record.offset);
  return { record, channel, time, bytes: fields.rest() };
}

/** uint16 number, string name, string encoding, uint32 length, then its bytes. */
function takeSchema(record: McapRecord, { schemas }: World): void {
  const fields = new FieldReader(record);
  const id = fields.uint16();
  const [name, encoding] = [fields.text(), fields.text()];
  if (!schemas.has(id)) schemas.set(id, { name, encoding, data: fields.bytes(fields.uint32()).slice() });
}

/** uint16 number, uint16 schema, string topic, string encoding, then metadata. */
function takeChannel(record: McapRecord, world: World): void {
  const fields = new FieldReader(record);
  const [id, schemaId] = [fields.uint16(), fields.uint16()];
  if (world.channels.has(id)) return;
  const [name, encoding] = [fields.text(), fields.text()];
  const topic = world.topics.get(name) ?? createTopic(name, world.fields);
  world.topics.set(name, topic);
  const schema = world.schemas.get(schemaId);
  let decode: MessageDecoder | undefined;
  const fault = faultOf(
    () => {
      decode = decoderOf(encoding, schema);
    },
    `messages of ${name}`,
    record.offset,
  );
  topic.fault ??= fault;
  if (decode === undefined && fault === undefined) {
    const kind = kindOf(encoding, schema);
    world.leftOut.add(`${name} (${kind === '' ? 'of no known encoding' : kind})`);
  }
  world.channels.set(id, { topic, decode });
}

function kindOf(encoding: string, schema: Schema | undefined): string {
  return `${encoding} ${schema?.encoding ?? ''}`.trim();
}

/** Undefined for a kind that is not known. Throws a MessageFault. */
function decoderOf(encoding: string, schema: Schema | undefined): MessageDecoder | undefined {
  if (encoding === 'json') return decodeJsonMessage;
  if (schema === undefined) return undefined;
  const text = () => new TextDecoder().decode(schema.data);
  switch (kindOf(encoding, schema)) {
    case 'cdr ros2msg':
      return cdrDecoder(schema.name, text());
    case 'ros1 ros1msg':
      return ros1Decoder(schema.name, text());
    case 'protobuf protobuf':
      return protobufDecoder(schema.name, schema.data);
    default:
      return undefined;
  }
}
