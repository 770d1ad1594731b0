import { problemOfAhead } from '../../alerts/rows-ahead.ts';
import { Firing, type RuleState } from '../../alerts/rule-state.ts';
import { namedByStateId, type StoredState, stateId } from '../../alerts/stored-state.ts';
import type { MessageName } from '../../alerts/webhook-message.ts';
import type { StoredRule } from '../../domain/alert.ts';
import { compareText } from '../../domain/tags.ts';
import { foldTopic } from '../../domain/topic.ts';
import type { CountRows } from '../../query/bounds/running-queries.ts';
import type { Reader } from '../../store/store.ts';
import { nextTurn } from '../../turns/rest.ts';
import type { AlertEntry, AlertFilter, AlertTest } from '../../wire/requests/alert-requests.ts';
import type { WebhookSender } from '../webhooks/sender.ts';
import { waitingMessages } from '../webhooks/waiting.ts';
import type { Alerts, Problem } from './alerts.ts';
import { testRule } from './test-rule.ts';
import type { TopicRules } from './topic-rules.ts';

/** What people ask of alert rules. */
export interface AlertQueries {
  /** What fires now, in order of rule and stream, and after it the rules that could not be evaluated. */
  list(workspace: string, filter: AlertFilter): Promise<AlertEntry[]>;
  /**
   * What a rule would have said of the rows that are stored, in order of time, but for those that are too far ahead of the clock.
   * `noDataFor` goes by the clock and says nothing here. `alert_not_found` (404); `result_too_large` (400) for too many changes.
   */
  test(
    workspace: string,
    topic: string,
    name: string,
    test: AlertTest,
    signal: AbortSignal,
    countRows: CountRows,
  ): Promise<AlertEntry[]>;
}

/** States that are looked at between two turns of the event loop. */
const statesAtOnce = 500;
export function createAlertQueries(
  store: Reader,
  alerts: Alerts,
  webhooks: Pick<WebhookSender, 'problemOf'>,
  now: () => number,
): AlertQueries {
  return new RuleQueries(store, alerts, webhooks, now);
}

class RuleQueries implements AlertQueries {
  readonly #store: Reader;
  readonly #alerts: Alerts;
  readonly #webhooks: Pick<WebhookSender, 'problemOf'>;
  readonly #now: () => number;
  /** What webhooks were not told yet. */
  readonly #messages;

  constructor(store: Reader, alerts: Alerts, webhooks: Pick<WebhookSender, 'problemOf'>, now: () => number) {
    this.#store = store;
    this.#alerts = alerts;
    this.#webhooks = webhooks;
    this.#now = now;
    this.#messages = waitingMessages(store.catalog);
  }

  async list(workspace: string, filter: AlertFilter): Promise<AlertEntry[]> {
    await this.#store.catalog.refresh();
    const fires: Listed[] = [];
    const failed: Listed[] = [];
    for (const listed of this.#alerts.rules.ofWorkspace(workspace).topics.values()) {
      if (filter.topics?.has(foldTopic(listed.topic)) === false) continue;
      const found = await this.#ofTopic(workspace, listed, filter);
      fires.push(...found.fires);
      failed.push(...found.failed);
    }
    const found: AlertEntry[] = [...fires.sort(inOrder), ...failed.sort(inOrder)];
    for (const { topic, name, problem } of this.#alerts.rules.ofWorkspace(workspace).unusable) {
      if (filter.topics?.has(foldTopic(topic)) !== false && filter.names?.has(name) !== false)
        found.push({ topic, name, state: 'failed', problem });
    }
    return found;
  }

  test(
    workspace: string,
    topic: string,
    name: string,
    test: AlertTest,
    signal: AbortSignal,
    countRows: CountRows,
  ): Promise<AlertEntry[]> {
    const parts = { store: this.#store, alerts: this.#alerts, now: this.#now };
    return testRule(parts, { workspace, topic, name }, test, signal, countRows);
  }

  /** What rules of a topic know of streams, in no order. */
  async *#known(workspace: string, { topic, all }: ListedTopic, filter: AlertFilter) {
    let seen = 0;
    const rules = new Map(all.map((rule) => [rule.rule.name, rule]));
    for (const { id } of this.#store.catalog.eachDocument(workspace, 'alertState', topic)) {
      if (++seen % statesAtOnce === 0) await nextTurn();
      const { rule: name, streamId } = namedByStateId(id);
      const rule = rules.get(name);
      if (rule === undefined || !isAsked(filter, name, streamId)) continue;
      const state = this.#alerts.states.get({ workspace, topic, rule: name, streamId });
      if (state?.made === rule.made) yield { streamId, rule, state };
    }
  }

  /** What fires in a topic; and what was left out of rows, and what webhooks were not told of. */
  async #ofTopic(workspace: string, listed: ListedTopic, filter: AlertFilter) {
    const { topic } = listed;
    const untold = this.#untoldMessages(workspace, topic);
    const found = [];
    for await (const one of this.#known(workspace, listed, filter))
      if (one.state.firing !== Firing.No || this.#problemOf(one) !== undefined) found.push(one);
    const problems = this.#problemsOf(workspace, listed);
    const named = [...found, ...untold.values(), ...problems];
    const shown = await this.#shownStreams(workspace, topic, new Set(named.map(({ streamId }) => streamId)));
    const fires: Listed[] = [];
    const failed: Listed[] = [];
    for (const one of found) {
      const { streamId, rule, state } = one;
      if (!shown.has(streamId)) continue;
      const { name } = rule.rule;
      const problem = this.#problemOf(one);
      if (problem !== undefined) failed.push({ topic, name, streamId, state: 'failed', problem });
      if (state.firing === Firing.No) continue;
      const key = stateId(name, streamId);
      const webhook =
        rule.rule.webhook === undefined ? undefined : (untold.get(key)?.webhook ?? { waiting: 0 });
      untold.delete(key);
      fires.push(entryOf(topic, streamId, rule, state, webhook));
    }
    for (const { rule: name, streamId, webhook } of untold.values()) {
      if (webhook.problem === undefined || !shown.has(streamId) || !isAsked(filter, name, streamId)) continue;
      const problem = `its webhook ${webhook.givenUp ? 'was not told' : 'is not told yet'}: ${webhook.problem}`;
      failed.push({ topic, name, streamId, state: 'failed', problem, webhook });
    }
    for (const { rule: name, streamId, problem } of problems)
      if (shown.has(streamId) && isAsked(filter, name, streamId))
        failed.push({ topic, name, streamId, state: 'failed', problem });
    return { fires, failed };
  }

  /** Why rules of a topic could not be evaluated, as they are worded now. */
  #problemsOf(workspace: string, { topic, all }: ListedTopic): Problem[] {
    return [...this.#alerts.problems.values()].filter(
      (one) =>
        one.workspace === workspace &&
        foldTopic(one.topic) === foldTopic(topic) &&
        all.some(
          ({ rule: { name }, made, revision }) =>
            name === one.rule && made === one.made && revision === one.revision,
        ),
    );
  }

  #problemOf({ rule, state }: { rule: StoredRule; state: StoredState }): string | undefined {
    return state.revision === rule.revision ? problemOfAhead(state, this.#now()) : undefined;
  }

  /** The streams without those that are deleted: what they hold is shown nowhere. */
  async #shownStreams(
    workspace: string,
    topic: string,
    streamIds: ReadonlySet<string>,
  ): Promise<ReadonlySet<string>> {
    if (streamIds.size === 0) return streamIds;
    const filter = { topic, streamIds: [...streamIds] };
    return new Set(
      (await this.#store.catalog.streams(workspace, filter, this.#now())).map(({ streamId }) => streamId),
    );
  }

  #untoldMessages(workspace: string, topic: string): Map<string, Untold> {
    const found = new Map<string, Untold>();
    const ruleOf = this.#messages.rulesOf(workspace);
    for (const one of this.#messages.ofTopic(workspace, topic)) {
      if (ruleOf(one) === undefined) continue;
      const { rule, streamId, message } = one;
      const key = stateId(rule, streamId);
      const problem = this.#webhooks.problemOf(workspace, topic, one);
      const before = found.get(key)?.webhook ?? { waiting: 0, ...(problem !== undefined && { problem }) };
      const webhook: WebhookState =
        message.givenUp === undefined
          ? { ...before, waiting: before.waiting + 1 }
          : { problem: message.givenUp, ...before, givenUp: true };
      found.set(key, { rule, streamId, webhook });
    }
    return found;
  }
}

function isAsked({ names, streamIds }: AlertFilter, name: string, streamId: string): boolean {
  return names?.has(name) !== false && streamIds?.has(streamId) !== false;
}

type ListedTopic = TopicRules & { readonly topic: string };

type Listed = AlertEntry & Required<Pick<AlertEntry, 'topic' | 'name' | 'streamId'>>;

function inOrder(a: Listed, b: Listed): number {
  return compareText(a.topic, b.topic) || compareText(a.name, b.name) || compareText(a.streamId, b.streamId);
}

/** What a rule's webhook has not been told of a stream. */
interface WebhookState {
  /** Messages that wait. */
  readonly waiting: number;
  /** Why the last try failed. */
  readonly problem?: string;
  /** A message was given up since one was delivered. */
  readonly givenUp?: true;
}

interface Untold extends MessageName {
  readonly webhook: WebhookState;
}

function entryOf(
  topic: string,
  streamId: string,
  { rule }: StoredRule,
  state: RuleState,
  webhook: WebhookState | undefined,
): Listed {
  const { name, level, text } = rule;
  return {
    topic,
    name,
    streamId,
    state: 'firing',
    ...(state.firing === Firing.Silence && { noData: true }),
    ...(level !== undefined && { level }),
    ...(text !== undefined && { text }),
    ...(webhook !== undefined && { webhook }),
    ...(state.changedAt !== undefined && { timestamp: state.changedAt }),
  };
}
