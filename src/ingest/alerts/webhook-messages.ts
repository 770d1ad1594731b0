import { messageBody, messageId, messageText, type StoredMessage } from '../../alerts/webhook-message.ts';
import type { AlertState, StoredRule } from '../../domain/alert.ts';
import type { EventRow } from '../../domain/event-data.ts';
import type { Change, Documents } from '../../store/store.ts';
import type { NewState } from './judge.ts';
import type { StateName } from './rule-states.ts';

/** Messages that may wait in a workspace. */
export const maxWaiting = 10_000;

/** Messages of a rule and a stream in one write: they all stand in its record. */
export const maxMessagesOfWrite = 256;

/** What a write keeps for the webhook of a rule. */
export interface OutgoingMessages {
  readonly changes: readonly Change[];
  /** Called once: what is written is durable, or has failed. */
  settle(): void;
}

const nothing: OutgoingMessages = { changes: [], settle: () => undefined };

/**
 * What is kept with the events of a rule that has a webhook: a message for each. Where there is no room, the first ones stay.
 *
 * @param onNoRoom told of the messages that are left out
 */
export function outgoingMessages(
  catalog: Documents,
  now: () => number,
  onNoRoom: (name: StateName, rule: StoredRule, messages: number) => void,
): (judged: Pick<NewState, 'name' | 'rule' | 'events'>) => OutgoingMessages {
  /** Messages of writes under way, by workspace. */
  const coming = new Map<string, number>();

  const add = (workspace: string, messages: number): void => {
    const sum = (coming.get(workspace) ?? 0) + messages;
    if (sum === 0) coming.delete(workspace);
    else coming.set(workspace, sum);
  };

  return ({ name, rule, events }) => {
    if (rule.rule.webhook === undefined || events.length === 0) return nothing;
    const { workspace, topic, streamId } = name;
    const taken = catalog.documentCount(workspace, 'webhookMessage') + (coming.get(workspace) ?? 0);
    const fitting = Math.max(0, Math.min(events.length, maxWaiting - taken, maxMessagesOfWrite));
    if (fitting < events.length) onNoRoom(name, rule, events.length - fitting);
    add(workspace, fitting);
    const changes = events.slice(0, fitting).map(({ timestamp, value, tags }): Change => {
      const change = { workspace, topic, streamId, state: stateOf(tags), time: timestamp, value };
      const message: StoredMessage = { made: rule.made, at: now(), text: messageText(rule, change) };
      const id = messageId(name.rule, change);
      return { type: 'keep', kind: 'webhookMessage', topic, id, body: messageBody(message) };
    });
    return { changes, settle: () => add(workspace, -fitting) };
  };
}

function stateOf({ pairs }: EventRow['tags']): AlertState {
  return pairs.some(([, value]) => value === 'firing') ? 'firing' : 'resolved';
}
