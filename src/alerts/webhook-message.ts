import { createHash } from 'node:crypto';
import type { AlertState, StoredRule } from '../domain/alert.ts';
import { minTimestamp } from '../domain/timestamp.ts';
import { foldTopic } from '../domain/topic.ts';
import { stateId } from './stored-state.ts';

/** A change of a rule and a stream, for whom its webhook tells. */
export interface ToldChange {
  readonly workspace: string;
  readonly topic: string;
  readonly streamId: string;
  readonly state: AlertState;
  /** Nanoseconds. */
  readonly time: bigint;
  /** JSON, as in the event: `{"values":{…}}` or `{"noData":true}`. */
  readonly value: string;
}

/**
 * A message that waits, as it is kept: kind `webhookMessage`, the rule's topic, the id
 * `<rule>\n<stream>\n<time + 2^63, 20 digits>\n<state>`, so that those of a rule and a stream stand in order. Where it goes is
 * what the rule says when it goes.
 */
export interface StoredMessage {
  /** When the rule was made (ms): what an earlier one of its name had to tell is not told. */
  readonly made: number;
  /** When the change was written (ms). */
  readonly at: number;
  /** JSON, which is sent as it stands; empty in one that was given up. */
  readonly text: string;
  /** Why it was given up, and stands here to tell so; undefined in one that waits. */
  readonly givenUp?: string;
}

export interface MessageName {
  readonly rule: string;
  readonly streamId: string;
}

export function messageId(rule: string, { streamId, time, state }: ToldChange): string {
  return `${stateId(rule, streamId)}\n${String(time - minTimestamp).padStart(20, '0')}\n${state}`;
}

/** The names of rules have no control characters; ids of streams may. */
export function namedByMessageId(id: string): MessageName {
  const first = id.indexOf('\n');
  const last = id.lastIndexOf('\n', id.lastIndexOf('\n') - 1);
  return { rule: id.slice(0, first), streamId: id.slice(first + 1, last) };
}

/**
 * Returns the id of a message, the same for every try, also after restarts and from other nodes: it follows from
 * workspace, topic, rule, stream, time and state.
 */
export function deliveryId(rule: string, { workspace, topic, streamId, time, state }: ToldChange): string {
  const names = [workspace, foldTopic(topic), rule, streamId, String(time), state];
  return createHash('sha256').update(JSON.stringify(names)).digest('hex').slice(0, 32);
}

/** Returns the text of a message as its receiver gets it. */
export function messageText({ rule }: Pick<StoredRule, 'rule'>, change: ToldChange): string {
  const { name, level, text } = rule;
  const { workspace, topic, streamId, state, time, value } = change;
  const id = deliveryId(name, change);
  const begin = JSON.stringify({ id, workspace, topic, rule: name, stream: streamId, state });
  const end = level === undefined && text === undefined ? '' : `,${inner(JSON.stringify({ level, text }))}`;
  return `{${inner(begin)},"time":${time},${inner(value)}${end}}`;
}

/** Without the braces. */
function inner(object: string): string {
  return object.slice(1, -1);
}

export function idInMessage({ text }: StoredMessage): string {
  return (JSON.parse(text) as { id: string }).id;
}

export function messageBody({ made, at, text, givenUp }: StoredMessage): string {
  return JSON.stringify({ made, at, text, givenUp });
}

/** Undefined where it is none: of a version to come, for one. */
export function messageOfBody(body: string): StoredMessage | undefined {
  try {
    const { made, at, text, givenUp } = JSON.parse(body) as Partial<StoredMessage>;
    if (typeof made !== 'number' || typeof at !== 'number' || typeof text !== 'string') return undefined;
    return { made, at, text, ...(givenUp !== undefined && { givenUp }) };
  } catch {
    return undefined;
  }
}
