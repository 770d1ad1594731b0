import { type TagSet, tagSet } from '../../domain/tags.ts';
import { fault } from '../base/fault.ts';
import { checkName } from '../base/name.ts';
import type { TextCache } from '../json/text-cache.ts';
import type { Field } from '../lines/line-rows.ts';
import type { ParameterDataDecoder } from '../rows/parameter-data.ts';
import type { PayloadLimits } from '../rows/payload-limits.ts';
import type { Refused } from '../series/refused.ts';
import type { SeriesOfStream } from '../series/series-rows.ts';
import type { MessageRow } from './gathered-rows.ts';
import type { SparkplugNodes } from './sparkplug-nodes.ts';
import type { TopicRule } from './topic-rules.ts';

/** A message as it came. */
export interface Message {
  readonly topic: string;
  readonly payload: Buffer;
  /** The id of the client that sent it: the stream, where the topic names none. */
  readonly client: string;
  /** Tags of all its rows. */
  readonly tags: TagSet;
}

/** How messages are read. */
export interface MessageRules {
  readonly topics: readonly TopicRule[];
  /** Names of the field that is the time of a flat object. */
  readonly timeFields: readonly string[];
  /** Tags of the line protocol that tell streams of one measurement apart. */
  readonly streamTags: readonly string[];
  readonly limits: PayloadLimits;
  /** Names of fields that came before. */
  readonly names: TextCache;
}

/** What is read of a message, and what its reader asks for. */
export interface MessageRead {
  readonly rules: MessageRules;
  /** For short messages: what it gives is valid until it begins again. */
  readonly decoder: ParameterDataDecoder;
  readonly message: Message;
  /** Nodes of Sparkplug, as they introduced themselves. */
  readonly nodes: SparkplugNodes;
  /** Rows of their own, and others that were read as many at once. */
  readonly rows: MessageRow[];
  readonly streams: SeriesOfStream[];
  /** What of it is left out. */
  readonly refused: Refused;
  /** When it arrived, ns; whoever asks for it has a row without a time of its own. */
  arrival(): bigint;
  /** Told of a node of Sparkplug that has to introduce itself again. */
  rebirth(group: string, node: string): void;
}

/** The names of rows, checked. Throws `bad_name`. */
export function checkPlace(read: MessageRead, topic: string, streamId: string): void {
  const { maxNameBytes } = read.rules.limits;
  checkName(topic, 'topic', maxNameBytes);
  checkName(streamId, 'stream', maxNameBytes);
}

/** A text as the value of a field. Throws `string_too_long`. */
export function checkText(read: MessageRead, name: string, bytes: Buffer): Buffer {
  const { maxStringBytes } = read.rules.limits;
  if (bytes.length <= maxStringBytes) return bytes;
  throw fault('string_too_long', name, `has ${bytes.length} bytes; ${maxStringBytes} are allowed`);
}

/** Adds one row; nothing where it has no fields. */
export function addRow(
  read: MessageRead,
  { topic, streamId }: Pick<MessageRow, 'topic' | 'streamId'>,
  time: bigint | undefined,
  fields: readonly Field[],
): void {
  if (fields.length > 0) read.rows.push({ topic, streamId, time: time ?? read.arrival(), fields });
}

/**
 * Returns rows with the tags of their message; of a tag that they have already the message's one counts. Those for
 * which a row has no room are left out, and counted for each set of tags.
 */
export function withTags(
  { rules, message, refused }: MessageRead,
  streams: readonly SeriesOfStream[],
): SeriesOfStream[] {
  const more = message.tags.pairs;
  if (more.length === 0) return [...streams];
  const names = new Set(more.map(([name]) => name));
  const tagged = ({ pairs }: TagSet) => {
    const own = new Map(pairs);
    const others = pairs.filter(([name]) => !names.has(name));
    const known = more.filter(([name]) => own.has(name));
    const fresh = more.filter(([name]) => !own.has(name));
    const kept = fresh.slice(0, rules.limits.maxTags - pairs.length);
    refused.leaveOut('bad_attribute', fresh.length - kept.length);
    return tagSet([...others, ...known, ...kept]);
  };
  return streams.map((one) => ({
    ...one,
    rows: one.rows.map(({ count, base, offsets, tagSets, tagIndex, columns }) => ({
      count,
      base,
      offsets,
      tagSets: tagSets.map(tagged),
      tagIndex,
      columns,
    })),
  }));
}
