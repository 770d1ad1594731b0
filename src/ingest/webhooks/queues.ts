import type { MessageName } from '../../alerts/webhook-message.ts';
import type { Webhook } from '../../domain/alert.ts';
import { queueKey, type WaitingMessage } from './waiting.ts';

/** What a rule has to tell of a stream, one message after the other. */
export interface MessageQueue extends MessageName {
  readonly workspace: string;
  readonly topic: string;
  /** Its messages as they came, those that came together in order of time. */
  waiting: WaitingMessage[];
  /** Those that were given up, which stand there to tell so. */
  givenUp: WaitingMessage[];
  isBusy: boolean;
  /** Host and port where its messages go, as its rule said when they were put here. */
  receiver: string;
  /** Tries of the first one that failed, in a row; those of messages before it count. */
  failures: number;
  /** When to try again (ms of what has passed). */
  notBefore: number;
  problem: string | undefined;
  /** The message that was taken by the receiver, where the store has not been told yet. */
  delivered: string | undefined;
}

export interface MessageQueues {
  readonly all: ReadonlyMap<string, MessageQueue>;
  get(workspace: string, topic: string, name: MessageName): MessageQueue | undefined;
  /** Puts the messages of a workspace in the place of those before. What waits keeps its place: others come behind it. */
  replace(
    workspace: string,
    messages: readonly WaitingMessage[],
    receiverOf: (message: WaitingMessage) => string,
  ): void;
  /** Lets the other queues go first. */
  toEnd(queue: MessageQueue): void;
}

export function messageQueues(): MessageQueues {
  const all = new Map<string, MessageQueue>();

  return {
    all,
    get: (workspace, topic, name) => all.get(queueKey(workspace, topic, name)),
    replace(workspace, messages, receiverOf) {
      const before = new Map<MessageQueue, readonly WaitingMessage[]>();
      for (const queue of all.values()) {
        if (queue.workspace !== workspace) continue;
        if (queue.waiting.length > 0) before.set(queue, queue.waiting);
        queue.waiting = [];
        queue.givenUp.length = 0;
      }
      for (const one of messages) {
        const { topic, rule, streamId, message } = one;
        let queue = all.get(one.queue);
        if (queue === undefined) {
          queue = newQueue({ workspace, topic, rule, streamId });
          all.set(one.queue, queue);
        }
        if (message.givenUp === undefined) {
          queue.waiting.push(one);
          queue.receiver = receiverOf(one);
        } else queue.givenUp.push(one);
      }
      for (const [queue, earlier] of before) queue.waiting = inPlace(queue.waiting, earlier);
      for (const [key, { waiting, givenUp, isBusy }] of all)
        if (waiting.length + givenUp.length === 0 && !isBusy) all.delete(key);
    },
    toEnd(queue) {
      const key = queueKey(queue.workspace, queue.topic, queue);
      if (all.delete(key)) all.set(key, queue);
    },
  };
}

/** Messages of which some waited before, these first. A clock that was set back has given later ones an earlier time. */
function inPlace(messages: WaitingMessage[], before: readonly WaitingMessage[]): WaitingMessage[] {
  const left = new Map(messages.map((one) => [one.id, one]));
  const kept: WaitingMessage[] = [];
  for (const { id } of before) {
    const one = left.get(id);
    if (one !== undefined) kept.push(one);
    left.delete(id);
  }
  return [...kept, ...left.values()];
}

/** Returns the host and port where the messages of a webhook go. */
export function receiverOf({ url }: Webhook): string {
  return new URL(url).host;
}

function newQueue(names: Pick<MessageQueue, 'workspace' | 'topic' | 'rule' | 'streamId'>): MessageQueue {
  return {
    ...names,
    waiting: [],
    givenUp: [],
    isBusy: false,
    receiver: '',
    failures: 0,
    notBefore: 0,
    problem: undefined,
    delivered: undefined,
  };
}
