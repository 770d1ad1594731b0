import { MessageFault } from '../../protobuf/wire-reader.ts';
import { type FileBytes, FileFault } from '../file-bytes.ts';
import { chunkBytes } from './chunk.ts';
import { decoderOf, isIdl, kindOf, type Schema } from './decoders.ts';
import type { Described } from './described.ts';
import { checkEnding } from './ending.ts';
import { loadIdl, type ParseIdl } from './idl-schema.ts';
import type { MessageTime } from './message-time.ts';
import { type MessageDecoder, type PlaceRoom, placeRoom } from './place.ts';
import { FieldReader, type McapRecord, Op, readRecords, recordsIn } from './records.ts';
import { type Message, Topic } from './topics.ts';

/** A channel of a file. */
export interface Channel {
  readonly topic: Topic;
  /** Undefined where its messages are not read. */
  readonly decode: MessageDecoder | undefined;
  /** Where they are not read. */
  readonly unread: Unread | undefined;
  /** What its record says: one that comes again says the same. */
  readonly said: string;
}

/** Counts the messages of channels that are not read for one reason. */
interface Unread {
  messages: number;
}

/** What stands in a file: its schemas and channels by their numbers of 16 bits, its topics in order. */
export interface World {
  readonly schemas: Map<number, Schema>;
  readonly channels: Map<number, Channel>;
  readonly topics: Map<string, Topic>;
  /** By which channels are not read and why, without the bracket at the end. */
  readonly unread: Map<string, Unread>;
  readonly room: PlaceRoom;
  readonly time: MessageTime;
  parseIdl: ParseIdl | undefined;
}

export function createWorld(time: MessageTime): World {
  return {
    schemas: new Map(),
    channels: new Map(),
    topics: new Map(),
    unread: new Map(),
    room: placeRoom(),
    time,
    parseIdl: undefined,
  };
}

export interface ChannelMessage extends Message {
  readonly channel: Channel;
}

/** The most messages that come together; those of a chunk, which may be large, do not wait for others. */
const mostTogether = 256;

/**
 * The messages of a file, in order and some at a time. Takes up schemas and channels on the way. Throws a FileFault.
 * @param described takes what the file says beside its messages
 */
export async function* readMessages(
  file: FileBytes,
  world: World,
  described?: Described,
): AsyncGenerator<readonly ChannelMessage[]> {
  const records = readRecords(file);
  let count = 0;
  let isUnchecked = false;
  let together: ChannelMessage[] = [];
  for (;;) {
    const { done, value } = await records.next();
    if (done === true) {
      yield together;
      await checkEnding(file, { end: value, messages: count, isUnchecked });
      return;
    }
    if (value.op === Op.Attachment) {
      described?.takeAttachment(value);
      continue;
    }
    const chunk = value.op === Op.Chunk ? await chunkBytes(value) : undefined;
    isUnchecked ||= chunk?.isChecked !== true;
    for (const record of chunk === undefined ? [value] : recordsIn(chunk.bytes, value.offset)) {
      if (record.op === Op.Message) {
        together.push(messageOf(record, world));
        count++;
        if (together.length < mostTogether) continue;
        yield together;
        together = [];
      } else if (record.op === Op.Schema) await takeSchema(record, world);
      else if (record.op === Op.Channel) takeChannel(record, world);
      else if (record.op === Op.Metadata) described?.takeMetadata(record);
    }
    if (chunk === undefined || together.length === 0) continue;
    yield together;
    together = [];
  }
}

/** uint16 channel, uint32 number, uint64 log time, uint64 publish time, then its bytes. */
function messageOf(record: McapRecord, { channels }: World): ChannelMessage {
  const fields = new FieldReader(record);
  const id = fields.uint16();
  const channel = channels.get(id);
  if (channel === undefined)
    throw new FileFault(`a message is of channel ${id}, which is not described before it`, record.offset);
  fields.uint32();
  return {
    channel,
    log: fields.uint64(),
    publish: fields.uint64(),
    bytes: fields.rest(),
    offset: record.offset,
  };
}

/** uint16 number, string name, string encoding, uint32 length, then its bytes. */
async function takeSchema(record: McapRecord, world: World): Promise<void> {
  const fields = new FieldReader(record);
  const id = fields.uint16();
  const there = world.schemas.get(id);
  const [name, encoding] = [fields.text(), fields.text()];
  const bytes = fields.bytes(fields.uint32());
  if (there !== undefined) {
    const isSame = there.name === name && there.encoding === encoding && areSame(there.data, bytes);
    if (isSame) return;
    throw new FileFault(`schema ${id} is described twice, as ${there.name} and as ${name}`, record.offset);
  }
  const schema = { name, encoding, data: bytes.slice() };
  world.schemas.set(id, schema);
  if (isIdl(schema)) world.parseIdl ??= await loadIdl();
}

function areSame(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, i) => byte === other[i]);
}

/** uint16 number, uint16 schema or 0, string topic, string encoding, then metadata. */
function takeChannel(record: McapRecord, world: World): void {
  const fields = new FieldReader(record);
  const [id, schemaId] = [fields.uint16(), fields.uint16()];
  const [name, encoding] = [fields.text(), fields.text()];
  const said = JSON.stringify([name, encoding, schemaId]);
  const there = world.channels.get(id);
  if (there?.said === said) return;
  // Its messages would be taken for those of the other.
  if (there !== undefined)
    throw new FileFault(
      `channel ${id} is described twice, as ${there.topic.name} and as ${name}`,
      record.offset,
    );
  const topic = world.topics.get(name) ?? new Topic(name, world.room, world.time);
  world.topics.set(name, topic);
  const schema = world.schemas.get(schemaId);
  let decode: MessageDecoder | undefined;
  let why = '';
  try {
    decode = decoderOf(encoding, schema, world.parseIdl);
    if (decode === undefined) why = `${name} (${unknownKind(encoding, schema, schemaId)}`;
  } catch (error) {
    if (!(error instanceof MessageFault)) throw error;
    why = `${name} (${kindOf(encoding, schema)}: ${error.message}`;
  }
  world.channels.set(id, { topic, decode, said, unread: why === '' ? undefined : unreadOf(world, why) });
}

function unreadOf({ unread }: World, why: string): Unread {
  const known = unread.get(why) ?? { messages: 0 };
  unread.set(why, known);
  return known;
}

function unknownKind(encoding: string, schema: Schema | undefined, id: number): string {
  const kind = kindOf(encoding, schema);
  if (kind === '') return 'of no known encoding';
  if (id !== 0 && schema === undefined) return `${kind}, and the file does not have its schema ${id}`;
  return kind;
}
