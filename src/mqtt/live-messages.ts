import { entryOf } from '../domain/entry-of.ts';
import type { LiveEvent } from '../live/live-event.ts';
import type { parameterData } from '../live/models.ts';
import type { Sequence } from '../live/sequence.ts';
import { liveTopic } from './live-topics.ts';

/** A value as readers get it. */
export interface LiveMessage {
  readonly topic: string;
  readonly payload: Buffer;
  /** ns */
  readonly time: bigint;
}

/** The most values of one event that are sent; of more, only the last one of each parameter. */
const mostValues = 20_000;

/** What a reader is told of an event; made once for all readers. */
export interface LiveMessages {
  readonly messages: readonly LiveMessage[];
  /** How many values are left out, for there were too many. */
  readonly leftOut: number;
}

const nothing: LiveMessages = { messages: [], leftOut: 0 };

export function liveMessages(event: LiveEvent): LiveMessages {
  if (event.target !== 'ParameterDataReceived') return nothing;
  return event.form('mqtt', messagesOf);
}

function messagesOf({ args: [model] }: LiveEvent): LiveMessages {
  const { topicName, streamId, timestamps, ...groups } = model as ReturnType<typeof parameterData>;
  // Numbers, texts and binaries may have one name: then they are told in the order of their rows.
  const columns = new Map<string, Sequence[]>();
  let cells = 0;
  const count = timestamps.length;
  for (const group of [groups.numericValues, groups.stringValues, groups.binaryValues])
    for (const [name, sequence] of Object.entries(group)) {
      entryOf(columns, name, () => []).push(sequence);
      cells += count;
    }
  const isLong = cells > mostValues;
  const messages: LiveMessage[] = [];
  let values = 0;
  const times = timestamps.slice(0, count) as bigint[];
  for (const [name, sequences] of columns) {
    const topic = liveTopic(topicName, streamId, name);
    const all = sequences.map((sequence) => sequence.slice(0, count));
    for (let row = isLong ? Math.max(...all.map(lastOf)) : 0; row < count; row++)
      for (const rows of all) {
        const payload = payloadOf(rows[row]);
        if (payload !== undefined) messages.push({ topic, payload, time: times[row]! });
      }
    for (const rows of all) values += rows.filter((value) => value !== null && value !== undefined).length;
  }
  return { messages, leftOut: values - messages.length };
}

function lastOf(rows: readonly unknown[]): number {
  let last = rows.length - 1;
  while (last > 0 && (rows[last] === null || rows[last] === undefined)) last--;
  return Math.max(0, last);
}

/** A number as JavaScript writes it, with the sign of zero, a text, or bytes as they are; undefined for no value. */
export function payloadOf(value: unknown): Buffer | undefined {
  if (value === null || value === undefined) return undefined;
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return Buffer.from(Object.is(value, -0) ? '-0' : String(value));
}
