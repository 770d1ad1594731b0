import { setTimeout as pause } from 'node:timers/promises';
import { idInMessage, type MessageName, messageBody } from '../../alerts/webhook-message.ts';
import type { StoredRule, Webhook } from '../../domain/alert.ts';
import { remembered } from '../../domain/entry-of.ts';
import type { Log } from '../../log.ts';
import type { Metrics } from '../../metrics.ts';
import type { CatalogWriter, Change } from '../../store/store.ts';
import { during } from '../../turns/long-turns.ts';
import { maxWaiting } from '../alerts/webhook-messages.ts';
import { messageAges } from './ages.ts';
import { sendingLease } from './lease.ts';
import { patienceMs, pauseMs } from './pause.ts';
import { createPlaces } from './places.ts';
import type { Post } from './post.ts';
import { type MessageQueue, messageQueues, receiverOf } from './queues.ts';
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
  readonly store: CatalogWriter;
  readonly post: Post;
  readonly metrics: Pick<Metrics, 'webhookTries' | 'webhookMessagesLost'>;
  readonly log: Pick<Log, 'warn' | 'error'>;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** Milliseconds of a clock that is never set; by default that of the process. */
  readonly monotonic?: () => number;
  readonly random?: () => number;
}

/** How often (ms) other nodes are asked whether they have written messages, where there is a rule with a webhook. */
const askMs = 1000;
/** The most changes of one record. */
const changesAtOnce = 500;
/** How long (ms) it is told that a message was given up, from its change on. */
const noticeMs = 24 * 3_600_000;
/** How often (ms) notices are sorted without a change: they grow old. */
const sortAgainMs = 600_000;
/** How long tries may go on at the end (ms). */
const graceMs = 2000;
/** Until a message that was taken, or given up, is tried to be forgotten again (ms). */
const writeAgainMs = 1000;

export function createWebhookSender(options: WebhookSenderOptions): WebhookSender {
  return new MessageSender(options);
}

class MessageSender implements WebhookSender {
  readonly #options: WebhookSenderOptions;
  /** Pauses are measured: the clock may be set meanwhile. */
  readonly #passed: () => number;
  readonly #ageOf;
  readonly #lease;
  readonly #messages;
  readonly #queues = messageQueues();
  readonly #places = createPlaces();
  readonly #underWay = new Set<Promise<void>>();
  /** What is to be forgotten, by workspace. */
  readonly #stale = new Map<string, readonly WaitingMessage[]>();
  #sortAgainAt = 0;
  readonly #ending = new AbortController();
  #isStopping = false;
  /** The look that is under way. */
  #looking: Promise<void> | undefined;
  #askAt = 0;
  #isShared = false;
  #isFailing = false;
  #isSoon = false;

  constructor(options: WebhookSenderOptions) {
    this.#options = options;
    this.#passed = options.monotonic ?? (() => performance.now());
    this.#ageOf = messageAges(options.now, this.#passed);
    this.#lease = sendingLease(options.store, options.now);
    this.#messages = waitingMessages(options.store.catalog);
  }

  readonly tickMs: number = 250;

  readonly tick = (): Promise<void> => {
    if (this.#isStopping) return Promise.resolve();
    this.#looking ??= this.#look()
      .then(
        () => {
          during('alerts', this.#sendSome);
        },
        (error: unknown) => {
          if (!this.#isFailing)
            this.#options.log.error({ err: error }, 'messages to webhooks cannot be looked at');
          this.#isFailing = true;
        },
      )
      .finally(() => {
        this.#looking = undefined;
      });
    return this.#looking;
  };

  readonly #isOwn = (workspace: string): boolean => {
    return !this.#isShared || this.#lease.holds(workspace);
  };

  /** There may be thousands of queues: those whose receiver has no place cost next to nothing. */
  readonly #sendSome = (): void => {
    const at = this.#passed();
    const own = remembered(this.#isOwn);
    for (const queue of this.#queues.all.values()) {
      if (this.#isStopping) return;
      const first = queue.waiting[0];
      if (first === undefined || queue.isBusy || queue.notBefore > at) continue;
      const hasFailed = queue.failures > 0;
      if (this.#places.isFull(queue.receiver, hasFailed) || !own(queue.workspace)) continue;
      const webhook = this.#messages.ruleOf(queue.workspace, first)?.rule.webhook;
      if (webhook === undefined) continue;
      const place = this.#places.take(receiverOf(webhook), hasFailed);
      if (place === undefined) continue;
      queue.isBusy = true;
      const work = this.#sendFirst(queue, first, webhook)
        .catch((error: unknown) => {
          queue.notBefore = this.#passed() + writeAgainMs;
          if (!this.#isFailing)
            this.#options.log.error({ err: error }, 'what became of messages to webhooks cannot be written');
          this.#isFailing = true;
        })
        .finally(() => {
          queue.isBusy = false;
          place.leave();
          this.#queues.toEnd(queue);
          this.#underWay.delete(work);
          this.#sendSoon();
        });
      this.#underWay.add(work);
    }
  };

  readonly #forgetting = ({ topic, id }: WaitingMessage): Change => {
    return { type: 'forget', kind: 'webhookMessage', topic, id };
  };

  problemOf(workspace: string, topic: string, name: MessageName): string | undefined {
    return this.#queues.get(workspace, topic, name)?.problem;
  }

  get waiting(): number {
    let waiting = 0;
    for (const queue of this.#queues.all.values()) waiting += queue.waiting.length;
    return waiting;
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#looking;
    const ended = new AbortController();
    await Promise.race([
      Promise.all(this.#underWay).then(() => ended.abort()),
      pause(graceMs, undefined, { signal: ended.signal }).catch(() => undefined),
    ]);
    this.#ending.abort();
    await Promise.all(this.#underWay);
  }

  /** A late change must not bring a workspace back. */
  async #write(workspace: string, changes: readonly Change[]): Promise<void> {
    for (
      let from = 0;
      from < changes.length && this.#options.store.catalog.workspace(workspace) !== undefined;
      from += changesAtOnce
    )
      await this.#options.store.append({ workspace, changes: changes.slice(from, from + changesAtOnce) });
  }

  async #look(): Promise<void> {
    const { catalog } = this.#options.store;
    const refreshing = this.#passed() >= this.#askAt ? catalog.refresh() : undefined;
    if (refreshing !== undefined) {
      this.#isShared = true;
      this.#askAt = this.#passed() + askMs;
      await refreshing;
    }
    const workspaces = new Set(catalog.workspaces().map(({ name }) => name));
    // Of one that is gone nothing waits any more.
    for (const { workspace } of this.#queues.all.values()) workspaces.add(workspace);
    if (this.#passed() >= this.#sortAgainAt) {
      this.#messages.again();
      this.#sortAgainAt = this.#passed() + sortAgainMs;
    }
    for (const workspace of workspaces) {
      const found = this.#messages.changed(workspace);
      if (found !== undefined) during('alerts', () => this.#sort(workspace, found));
    }
    if (refreshing !== undefined) await this.#lease.renew(this.#withWork());
    for (const [workspace, some] of [...this.#stale]) {
      if (!this.#isOwn(workspace)) continue;
      await this.#write(workspace, some.map(this.#forgetting));
      this.#stale.delete(workspace);
    }
  }

  /** What rules have to tell that are there, and that they could not tell; the rest is to be forgotten. */
  #sort(workspace: string, found: readonly WaitingMessage[]): void {
    const live: WaitingMessage[] = [];
    const over: WaitingMessage[] = [];
    const ruleOf = this.#messages.rulesOf(workspace);
    for (const one of found) {
      const age = this.#ageOf(one);
      const isOld = one.message.givenUp !== undefined && age >= noticeMs;
      // A stream that was removed for good, of which a kill left the message.
      const isGone = this.#options.store.catalog.isNew(workspace, one.topic, one.streamId) === true;
      (isOld || isGone || ruleOf(one) === undefined ? over : live).push(one);
    }
    const receivers = remembered((rule: StoredRule) => receiverOf(rule.rule.webhook!));
    this.#queues.replace(workspace, live, (one) => receivers(ruleOf(one)!));
    if (over.length > 0) this.#stale.set(workspace, over);
    else this.#stale.delete(workspace);
  }

  /** Workspaces of which there is something to send or to forget. */
  #withWork(): string[] {
    const found = new Set(this.#stale.keys());
    for (const { workspace, waiting } of this.#queues.all.values())
      if (waiting.length > 0) found.add(workspace);
    return [...found];
  }

  /** After a message there is mostly a next one. Many that end together look for it together. */
  #sendSoon(): void {
    if (this.#isSoon || this.#isStopping) return;
    this.#isSoon = true;
    setTimeout(() => {
      this.#isSoon = false;
      during('alerts', this.#sendSome);
    }, 10).unref();
  }

  async #sendFirst(queue: MessageQueue, first: WaitingMessage, webhook: Webhook): Promise<void> {
    const { workspace, topic, rule, streamId } = queue;
    const isTaken = queue.delivered === first.id;
    if (!isTaken && this.#ageOf(first) >= patienceMs) return this.#giveUp(queue);
    if (!isTaken) {
      const message = { id: idInMessage(first.message), text: first.message.text };
      const outcome = await this.#options.post(webhook, message, queue.failures, this.#ending.signal);
      if (this.#ending.signal.aborted) return;
      this.#options.metrics.webhookTries.inc({ outcome: outcome.isDelivered ? 'delivered' : 'failed' });
      if (!outcome.isDelivered) {
        queue.failures++;
        queue.problem = outcome.problem;
        queue.notBefore =
          this.#passed() + pauseMs(queue.failures, outcome.retryAfterMs, this.#options.random);
        // Once for each message: tries are counted.
        if (queue.failures === 1)
          this.#options.log.warn(
            { workspace, topic, rule, streamId, problem: outcome.problem },
            'a message to a webhook failed and will be tried again',
          );
        return;
      }
    }
    queue.delivered = first.id;
    await this.#write(workspace, [...queue.givenUp, first].map(this.#forgetting));
    this.#isFailing = false;
    queue.givenUp = [];
    queue.waiting = queue.waiting.filter(({ id }) => id !== first.id);
    Object.assign(queue, { delivered: undefined, failures: 0, problem: undefined, notBefore: 0 });
  }

  /** Those that are too old; of the last of them stays that it was given up. */
  async #giveUp(queue: MessageQueue): Promise<void> {
    const { workspace, topic, rule, streamId, problem = 'the service was not there' } = queue;
    const old = queue.waiting.filter((one) => this.#ageOf(one) >= patienceMs);
    const last = old.at(-1)!;
    const { id, message } = last;
    const body = messageBody({ ...message, text: '', givenUp: problem });
    // Notices take no room that messages need.
    const hasRoom = this.#options.store.catalog.documentCount(workspace, 'webhookMessage') <= maxWaiting / 2;
    const forgotten = [...queue.givenUp, ...(hasRoom ? old.slice(0, -1) : old)].map(this.#forgetting);
    const notice = { type: 'keep', kind: 'webhookMessage', topic, id, body } as const;
    await this.#write(workspace, hasRoom ? [...forgotten, notice] : forgotten);
    this.#options.metrics.webhookMessagesLost.inc({ reason: 'given_up' }, old.length);
    this.#options.log.warn(
      { workspace, topic, rule, streamId, problem, messages: old.length },
      'messages to a webhook were given up after an hour',
    );
    const gone = new Set(old);
    queue.waiting = queue.waiting.filter((one) => !gone.has(one));
    queue.givenUp = hasRoom ? [{ ...last, message: { ...message, text: '', givenUp: problem } }] : [];
  }
}
