import {
  type KeptMessage,
  type MessageName,
  messageOfBody,
  namedByMessageId,
} from '../../alerts/webhook-message.ts';
import type { KeptRule } from '../../domain/alert.ts';
import type { KeptItem } from '../../domain/kept.ts';
import type { Catalog } from '../../store/store.ts';
import { decodeKeptRule } from '../../wire/alert-rule.ts';

/** A message as the store keeps it. */
export interface WaitingMessage extends MessageName {
  readonly topic: string;
  readonly id: string;
  readonly message: KeptMessage;
}

/** What the store keeps of messages and their rules, read once. */
export interface WaitingMessages {
  /** In order of rule, stream and time. Undefined where neither they nor rules have changed since the last call. */
  changed(workspace: string): readonly WaitingMessage[] | undefined;
  /** Lets the next call give all, whether something has changed or not. */
  again(): void;
  /** Of a topic, in no order. */
  ofTopic(workspace: string, topic: string): Iterable<WaitingMessage>;
  /** The rule that a message is of; undefined where it is gone, or has no webhook any more. */
  ruleOf(workspace: string, message: WaitingMessage): KeptRule | undefined;
}

export function waitingMessages(catalog: Pick<Catalog, 'kept' | 'keptItems' | 'keptItem'>): WaitingMessages {
  const read = new WeakMap<KeptItem, WaitingMessage>();
  const rules = new WeakMap<KeptItem, KeptRule>();
  const seen = new Map<string, readonly (readonly KeptItem[])[]>();

  /** What this version does not understand is of no rule. */
  const messageOf = (item: KeptItem): WaitingMessage => {
    const known = read.get(item);
    if (known !== undefined) return known;
    const message = messageOfBody(item.body) ?? { made: Number.NaN, at: 0, text: '' };
    const made = { ...namedByMessageId(item.id), topic: item.topic ?? '', id: item.id, message };
    read.set(item, made);
    return made;
  };

  return {
    changed(workspace) {
      const items = catalog.kept(workspace, 'webhookMessage');
      const listings = [items, catalog.kept(workspace, 'alert')];
      const before = seen.get(workspace);
      if (before !== undefined && listings.every((listing, i) => listing === before[i])) return undefined;
      seen.set(workspace, listings);
      return items.map(messageOf);
    },
    again: () => seen.clear(),
    *ofTopic(workspace, topic) {
      for (const item of catalog.keptItems(workspace, 'webhookMessage', topic)) yield messageOf(item);
    },
    ruleOf(workspace, { topic, rule: name, message }) {
      const item = catalog.keptItem(workspace, 'alert', topic, name);
      if (item === undefined) return undefined;
      const rule = rules.get(item) ?? decodeKeptRule(item.body);
      rules.set(item, rule);
      return rule.made === message.made && rule.rule.webhook !== undefined ? rule : undefined;
    },
  };
}
