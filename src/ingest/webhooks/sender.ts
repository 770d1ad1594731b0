import { setTimeout as pause } from 'node:timers/promises';
import { idInMessage, type MessageName, messageBody } from '../../alerts/webhook-message.ts';
import type { KeptRule, Webhook } from '../../domain/alert.ts';
import { entryOf } from '../../domain/entry-of.ts';
import type { Log } from '../../log.ts';
import type { Metrics } from '../../metrics.ts';
import type { Change, Store } from '../../store/store.ts';
import { during } from '../../turns/long-turns.ts';
import { maxWaiting } from '../alerts/webhook-messages.ts';
import { sendingLease } from './lease.ts';
import { patienceMs, pauseMs } from './pause.ts';
import { createPlaces } from './places.ts';
import type { Post } from './post.ts';
import { type MessageQueue, messageQueues } from './queues.ts';
import { type WaitingMessage, waitingMessages } from './waiting.ts';

/** Sends the messages of webhooks from where the store keeps them, and forgets those that were taken. */
export interface WebhookSender {
  /** How often to call `tick`. */
  readonly tickMs: number;
  /** Looks for messages, and sends those whose time has come. Never rejects. */
  tick(): Promise<void>;
  /** Why the last try of a rule and a stream failed here; undefined where none has, or messages go out again. */
  problemOf(workspace: string, topic: string, name: MessageName): string | undefined;
  /** Messages that wait, as far as this node knows. */
  readonly waiting: number;
  /** Lets tries end for a moment, then breaks them off: those messages are sent again after the next start. */
  stop(): Promise<void>;
}

export interface WebhookSenderOptions {
  readonly store: Pick<Store, 'append' | 'catalog'>;
  readonly post: Post;
  readonly metrics: Pick<Metrics, 'webhookTries' | 'webhookMessagesLost'>;
  readonly log: Pick<Log, 'warn' | 'error'>;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  readonly random?: () => number;
}

/** Other nodes are asked so often whether they have written messages (ms), where there is a rule with a webhook. */
const askMs = 1000;
/** Changes of one record. */
const changesAtOnce = 500;
/** How long (ms) it is told that a message was given up, from its change on. */
const noticeMs = 24 * 3_600_000;
/** Notices grow old without a change: how often to look (ms). */
const sortAgainMs = 600_000;
/** How long tries may go on at the end (ms). */
const graceMs = 2000;
/** Until a message that was taken, or given up, is tried to be forgotten again (ms). */
const writeAgainMs = 1000;

export function createWebhookSender(options: WebhookSenderOptions): WebhookSender {
  const { store, post, metrics, log, now, random } = options;
  const { catalog } = store;
  const lease = sendingLease(store, now);
  const messages = waitingMessages(catalog);
  const queues = messageQueues();
  const places = createPlaces();
  const underWay = new Set<Promise<void>>();
  /** What is to be forgotten, by workspace. */
  const stale = new Map<string, readonly WaitingMessage[]>();
  let sortAgainAt = 0;
  const ending = new AbortController();
  let isStopping = false;
  let looking: Promise<void> | undefined;
  let askAt = 0;
  let isShared = false;
  let isFailing = false;

  /** A late change must not bring a workspace back. */
  async function write(workspace: string, changes: readonly Change[]): Promise<void> {
    for (
      let from = 0;
      from < changes.length && catalog.workspace(workspace) !== undefined;
      from += changesAtOnce
    )
      await store.append({ workspace, changes: changes.slice(from, from + changesAtOnce) });
  }

  async function look(): Promise<void> {
    const workspaces = catalog.workspaces().map(({ name }) => name);
    const refreshing = now() >= askAt ? catalog.refresh() : undefined;
    if (refreshing !== undefined) {
      isShared = true;
      askAt = now() + askMs;
      await refreshing;
    }
    if (now() >= sortAgainAt) {
      messages.again();
      sortAgainAt = now() + sortAgainMs;
    }
    for (const workspace of workspaces) {
      const found = messages.changed(workspace);
      if (found !== undefined) during('alerts', () => sort(workspace, found));
    }
    if (refreshing !== undefined) await lease.renew(withWork());
    for (const [workspace, some] of [...stale]) {
      if (!isOwn(workspace)) continue;
      await write(workspace, some.map(forgetting));
      stale.delete(workspace);
    }
  }

  /** What rules have to tell that are there, and that they could not tell; the rest is to be forgotten. */
  function sort(workspace: string, found: readonly WaitingMessage[]): void {
    const live: WaitingMessage[] = [];
    const over: WaitingMessage[] = [];
    const ruleOf = messages.rulesOf(workspace);
    for (const one of found) {
      const { givenUp, at } = one.message;
      const isOld = givenUp !== undefined && now() - at >= noticeMs;
      // A stream that was removed for good, of which a kill left the message.
      const isGone = catalog.isNew(workspace, one.topic, one.streamId) === true;
      (isOld || isGone || ruleOf(one) === undefined ? over : live).push(one);
    }
    const receivers = remembered((rule: KeptRule) => receiverOf(rule.rule.webhook!));
    queues.replace(workspace, live, (one) => receivers(ruleOf(one)!));
    if (over.length > 0) stale.set(workspace, over);
    else stale.delete(workspace);
  }

  /** Workspaces of which there is something to send or to forget. */
  function withWork(): string[] {
    const found = new Set(stale.keys());
    for (const { workspace, waiting } of queues.all.values()) if (waiting.length > 0) found.add(workspace);
    return [...found];
  }

  const isOwn = (workspace: string): boolean => !isShared || lease.holds(workspace);

  /** There may be thousands of queues: those whose receiver has no place cost next to nothing. */
  function sendSome(): void {
    const at = now();
    const own = remembered(isOwn);
    for (const queue of queues.all.values()) {
      if (isStopping) return;
      const first = queue.waiting[0];
      if (first === undefined || queue.isBusy || queue.notBefore > at) continue;
      const hasFailed = queue.failures > 0;
      if (places.isFull(queue.receiver, hasFailed) || !own(queue.workspace)) continue;
      const webhook = messages.ruleOf(queue.workspace, first)?.rule.webhook;
      if (webhook === undefined) continue;
      const place = places.take(receiverOf(webhook), hasFailed);
      if (place === undefined) continue;
      queue.isBusy = true;
      const work = sendFirst(queue, first, webhook)
        .catch((error: unknown) => {
          queue.notBefore = now() + writeAgainMs;
          if (!isFailing) log.error({ err: error }, 'what became of messages to webhooks cannot be written');
          isFailing = true;
        })
        .finally(() => {
          queue.isBusy = false;
          place.leave();
          queues.toEnd(queue);
          underWay.delete(work);
          sendSoon();
        });
      underWay.add(work);
    }
  }

  let isSoon = false;

  /** After a message there is mostly a next one. Many that end together look for it together. */
  function sendSoon(): void {
    if (isSoon || isStopping) return;
    isSoon = true;
    setTimeout(() => {
      isSoon = false;
      during('alerts', sendSome);
    }, 10).unref();
  }

  async function sendFirst(queue: MessageQueue, first: WaitingMessage, webhook: Webhook): Promise<void> {
    const { workspace, topic, rule, streamId } = queue;
    const isTaken = queue.delivered === first.id;
    if (!isTaken && now() - first.message.at >= patienceMs) return giveUp(queue);
    if (!isTaken) {
      const message = { id: idInMessage(first.message), text: first.message.text };
      const outcome = await post(webhook, message, queue.failures, ending.signal);
      if (ending.signal.aborted) return;
      metrics.webhookTries.inc({ outcome: outcome.isDelivered ? 'delivered' : 'failed' });
      if (!outcome.isDelivered) {
        queue.failures++;
        queue.problem = outcome.problem;
        queue.notBefore = now() + pauseMs(queue.failures, outcome.retryAfterMs, random);
        // Once for each message: tries are counted.
        if (queue.failures === 1)
          log.warn(
            { workspace, topic, rule, streamId, problem: outcome.problem },
            'a message to a webhook failed and will be tried again',
          );
        return;
      }
    }
    queue.delivered = first.id;
    await write(workspace, [...queue.givenUp, first].map(forgetting));
    isFailing = false;
    queue.givenUp = [];
    queue.waiting = queue.waiting.filter(({ id }) => id !== first.id);
    Object.assign(queue, { delivered: undefined, failures: 0, problem: undefined, notBefore: 0 });
  }

  /** Those that are too old; of the last of them stays that it was given up. */
  async function giveUp(queue: MessageQueue): Promise<void> {
    const { workspace, topic, rule, streamId, problem = 'the service was not there' } = queue;
    const old = queue.waiting.filter(({ message }) => now() - message.at >= patienceMs);
    const last = old.at(-1)!;
    const { id, message } = last;
    const body = messageBody({ ...message, text: '', givenUp: problem });
    // Notices take no room that messages need.
    const hasRoom = catalog.keptCount(workspace, 'webhookMessage') <= maxWaiting / 2;
    const forgotten = [...queue.givenUp, ...(hasRoom ? old.slice(0, -1) : old)].map(forgetting);
    const notice = { type: 'keep', kind: 'webhookMessage', topic, id, body } as const;
    await write(workspace, hasRoom ? [...forgotten, notice] : forgotten);
    metrics.webhookMessagesLost.inc({ reason: 'given_up' }, old.length);
    log.warn(
      { workspace, topic, rule, streamId, problem, messages: old.length },
      'messages to a webhook were given up after an hour',
    );
    const gone = new Set(old);
    queue.waiting = queue.waiting.filter((one) => !gone.has(one));
    queue.givenUp = hasRoom ? [{ ...last, message: { ...message, text: '', givenUp: problem } }] : [];
  }

  return {
    tickMs: 250,
    tick() {
      if (isStopping) return Promise.resolve();
      looking ??= look()
        .then(
          () => {
            during('alerts', sendSome);
          },
          (error: unknown) => {
            if (!isFailing) log.error({ err: error }, 'messages to webhooks cannot be looked at');
            isFailing = true;
          },
        )
        .finally(() => {
          looking = undefined;
        });
      return looking;
    },
    problemOf: (workspace, topic, name) => queues.get(workspace, topic, name)?.problem,
    get waiting() {
      let waiting = 0;
      for (const queue of queues.all.values()) waiting += queue.waiting.length;
      return waiting;
    },
    async stop() {
      isStopping = true;
      await looking;
      const ended = new AbortController();
      await Promise.race([
        Promise.all(underWay).then(() => ended.abort()),
        pause(graceMs, undefined, { signal: ended.signal }).catch(() => undefined),
      ]);
      ending.abort();
      await Promise.all(underWay);
    },
  };

  function forgetting({ topic, id }: WaitingMessage): Change {
    return { type: 'forget', kind: 'webhookMessage', topic, id };
  }
}

function receiverOf({ url }: Webhook): string {
  return new URL(url).host;
}

/** The same answers, each asked for once. */
function remembered<Name, Answer>(ask: (name: Name) => Answer): (name: Name) => Answer {
  const known = new Map<Name, Answer>();
  return (name) => entryOf(known, name, () => ask(name));
}
