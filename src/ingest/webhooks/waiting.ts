import {
  type MessageName,
  messageOfBody,
  namedByMessageId,
  type StoredMessage,
} from '../../alerts/webhook-message.ts';
import type { StoredRule } from '../../domain/alert.ts';
import type { Document } from '../../domain/document.ts';
import { foldTopic } from '../../domain/topic.ts';
import type { Documents } from '../../store/store.ts';
import { decodeStoredRule } from '../../wire/requests/alert-rule.ts';

/** A message as the store keeps it. */
export interface WaitingMessage extends MessageName {
  readonly topic: string;
  readonly id: string;
  readonly message: StoredMessage;
  /** The key of its queue. */
  readonly queue: string;
}

/** What the store keeps of messages and their rules, read once. */
export interface WaitingMessages {
  /**
   * In order of rule, stream and time. Undefined where neither they nor rules have changed since the last call. What this
   * version does not understand, of a rule that is there, is left out: a newer version, here before or on another node, sends it.
   */
  changed(workspace: string): readonly WaitingMessage[] | undefined;
  /** Lets the next call give all, whether something has changed or not. */
  again(): void;
  /** Of a topic, in no order. */
  ofTopic(workspace: string, topic: string): Iterable<WaitingMessage>;
  /** The rule that a message is of; undefined where it is gone, or has no webhook any more. */
  ruleOf(workspace: string, message: WaitingMessage): StoredRule | undefined;
  /** The same of many messages: each rule is looked for once, as it stands now. */
  rulesOf(workspace: string): (message: WaitingMessage) => StoredRule | undefined;
}

/** Returns the key of a message's queue: what a rule has to tell of a stream stands in one. */
export function queueKey(workspace: string, topic: string, { rule, streamId }: MessageName): string {
  return `${workspace}\n${foldTopic(topic)}\n${rule}\n${streamId}`;
}

export function waitingMessages(catalog: Documents): WaitingMessages {
  const read = new WeakMap<Document, WaitingMessage>();
  const rules = new WeakMap<Document, StoredRule | typeof foreign>();
  const seen = new Map<string, readonly (readonly Document[])[]>();

  /** What this version does not understand is of no rule that is known. */
  const messageOf = (workspace: string, item: Document): WaitingMessage => {
    const known = read.get(item);
    if (known !== undefined) return known;
    const message = messageOfBody(item.body) ?? unknown;
    const { rule, streamId } = namedByMessageId(item.id);
    const topic = item.topic ?? '';
    const queue = queueKey(workspace, topic, { rule, streamId });
    const made = { rule, streamId, topic, id: item.id, message, queue };
    read.set(item, made);
    return made;
  };

  const keptRule = (
    workspace: string,
    { topic, rule }: WaitingMessage,
  ): StoredRule | typeof foreign | undefined => {
    const item = catalog.document(workspace, 'alert', topic, rule);
    if (item === undefined) return undefined;
    const kept = rules.get(item) ?? ruleOfBody(item.body);
    rules.set(item, kept);
    return kept;
  };

  /** Each rule is looked for once. */
  const keptRules = (workspace: string): ((message: WaitingMessage) => ReturnType<typeof keptRule>) => {
    const found = new Map<string, ReturnType<typeof keptRule>>();
    return (message) => {
      const key = `${message.topic}\n${message.rule}`;
      if (!found.has(key)) found.set(key, keptRule(workspace, message));
      return found.get(key);
    };
  };

  return {
    changed(workspace) {
      const items = catalog.documents(workspace, 'webhookMessage');
      const listings = [items, catalog.documents(workspace, 'alert')];
      const before = seen.get(workspace);
      if (before !== undefined && listings.every((listing, i) => listing === before[i])) return undefined;
      seen.set(workspace, listings);
      const ruleOf = keptRules(workspace);
      const isForOthers = (one: WaitingMessage): boolean => {
        const rule = ruleOf(one);
        return rule === foreign || (rule !== undefined && one.message === unknown);
      };
      return items.map((item) => messageOf(workspace, item)).filter((one) => !isForOthers(one));
    },
    again: () => seen.clear(),
    *ofTopic(workspace, topic) {
      for (const item of catalog.eachDocument(workspace, 'webhookMessage', topic))
        yield messageOf(workspace, item);
    },
    ruleOf: (workspace, message) => ofMessage(keptRule(workspace, message), message),
    rulesOf(workspace) {
      const ruleOf = keptRules(workspace);
      return (message) => ofMessage(ruleOf(message), message);
    },
  };
}

const unknown: StoredMessage = { made: Number.NaN, at: 0, text: '' };

/** In the place of a rule that this version does not understand. */
const foreign = 'foreign';

function ruleOfBody(body: string): StoredRule | typeof foreign {
  try {
    return decodeStoredRule(body);
  } catch {
    return foreign;
  }
}

function ofMessage(
  kept: StoredRule | typeof foreign | undefined,
  { message }: WaitingMessage,
): StoredRule | undefined {
  if (kept === undefined || kept === foreign) return undefined;
  return kept.made === message.made && kept.rule.webhook !== undefined ? kept : undefined;
}
