import { type Pace, withoutPause } from '../../turns/pace.ts';
import { type FileBytes, FileFault } from '../file-bytes.ts';
import type { LoggedFile, LoggedRow, TableRow } from '../logged-file.ts';
import { createDescribed } from './described.ts';
import type { MessageTime } from './message-time.ts';
import { createWorld, readMessages } from './read-messages.ts';
import { fileNames, messagesText, namesNotes, type Topic } from './topics.ts';

export interface McapOptions {
  /** Where rows stand; at the log times of their messages without it. */
  readonly time?: MessageTime | undefined;
  /** Topics that are left out. */
  readonly skip?: readonly string[];
  /** Is told how far it is; what it throws ends the reading. */
  readonly onBytes?: (bytes: number) => void;
  readonly pace?: Pace;
}

/**
 * An MCAP file (mcap.dev/spec): every message is read once to learn which fields there are; rows are read when they are asked
 * for. Each topic is a table, each field with numbers or text a channel `topic.field`. A topic with a faulty message is left
 * out, and stands in `faults`. Throws a FileFault, also where no messages can be read.
 */
export async function openMcap(
  file: FileBytes,
  { time = 'log', skip = [], onBytes = () => undefined, pace = withoutPause }: McapOptions = {},
): Promise<LoggedFile> {
  const world = createWorld(time);
  const described = createDescribed();
  for await (const messages of readMessages(file, world, described)) {
    for (const message of messages) {
      const pause = pace();
      if (pause !== undefined) await pause;
      const { topic, decode, unread } = message.channel;
      if (skip.includes(topic.name)) topic.skipped++;
      else if (decode !== undefined) topic.learn(decode, message);
      else if (unread !== undefined) unread.messages++;
    }
    if (messages.length > 0) onBytes(messages[0]!.offset);
  }
  const unknown = skip.find((name) => !world.topics.has(name));
  if (unknown !== undefined)
    throw new FileFault(`it has no topic ${unknown} that could be left out`, undefined);
  const names = fileNames();
  const all = [...world.topics.values()];
  for (const topic of all) topic.finish(names);
  const read = all.filter(({ fault, channels }) => fault === undefined && channels.length > 0);
  const faults = all.flatMap(({ fault }) => (fault === undefined ? [] : [fault.message]));
  const leftOut = [
    ...[...world.unread].map(([why, { messages }]) => `${why}, ${messagesText(messages)})`),
    ...skip.map((name) => `${name} (as asked for, ${messagesText(world.topics.get(name)!.skipped)})`),
    ...all.flatMap((topic) => topic.leftOut),
    ...described.leftOut(),
  ];
  if (read.length === 0) throw nothingRead(faults, leftOut);
  const places = new Map(read.map((topic, i) => [topic, i]));
  async function* readMixed(): AsyncGenerator<TableRow> {
    for await (const messages of readMessages(file, world)) {
      for (const message of messages) {
        const { topic, decode } = message.channel;
        const table = places.get(topic);
        if (decode === undefined || table === undefined) continue;
        const { time: at, values } = topic.read(decode, message);
        yield { table, row: { time: at, values, tags: [] } };
      }
    }
  }
  async function* readTable(wanted: number): AsyncGenerator<LoggedRow> {
    for await (const { table, row } of readMixed()) if (table === wanted) yield row;
  }
  return {
    tables: read.map(({ name, channels, rows }, i) => ({ name, channels, rows, read: () => readTable(i) })),
    tags: [],
    metadata: described.entries,
    start: read.reduce((first, { start = first }) => (start < first ? start : first), read[0]!.start ?? 0n),
    leftOut,
    faults,
    notes: [
      timeNote(read, time),
      ...read.flatMap((topic) => topic.notes),
      ...namesNotes(names),
      ...described.notes(),
    ],
    isForward: read.every(({ isForward }) => isForward),
    hasMessages: true,
    readMixed,
  };
}

function nothingRead(faults: readonly string[], leftOut: readonly string[]): FileFault {
  const others = leftOut.length > 0 ? [`no message is read of ${leftOut.join(', ')}`] : [];
  return new FileFault([...faults, ...others].join('; ') || 'the file has no messages', undefined);
}

function timeNote(topics: readonly Topic[], time: MessageTime): string {
  if (time !== 'stamp') return `times are the ${time} times of messages`;
  const others = topics.filter(({ hasStamps }) => !hasStamps).map(({ name }) => name);
  if (others.length === topics.length)
    throw new FileFault('no message has a stamp: no header.stamp, stamp or timestamp', undefined);
  const rest = others.length > 0 ? `, but the log times of ${others.join(', ')}, which have none` : '';
  return `times are the stamps of messages${rest}`;
}
