import type { CompiledRule } from '../../alerts/compiled-rule.ts';
import { type WholeTimes, wholeTimes } from '../../alerts/joined-rows.ts';
import { type KeptState, namedByStateId, stateId } from '../../alerts/kept-state.ts';
import { newStream } from '../../alerts/matching-stream.ts';
import type { OperandRows } from '../../alerts/operand-rows.ts';
import { problemOfAhead } from '../../alerts/rows-ahead.ts';
import { Firing, type RuleState } from '../../alerts/rule-state.ts';
import type { MessageName } from '../../alerts/webhook-message.ts';
import type { KeptRule } from '../../domain/alert.ts';
import { Kind } from '../../domain/parameter-data.ts';
import { compareText } from '../../domain/tags.ts';
import { minTimestamp } from '../../domain/timestamp.ts';
import { foldTopic } from '../../domain/topic.ts';
import { PitwallError } from '../../errors.ts';
import type { CountRows } from '../../query/running-queries.ts';
import { pickRows } from '../../store/calculated/pick-rows.ts';
import { rowsOfStreams } from '../../store/calculated/split-streams.ts';
import type { RowBlock } from '../../store/row-block.ts';
import type { Store } from '../../store/store.ts';
import { nextTurn } from '../../turns/rest.ts';
import { whole } from '../../turns/steps.ts';
import type { AlertEntry, AlertFilter, AlertTest } from '../../wire/alert-requests.ts';
import type { WebhookSender } from '../webhooks/sender.ts';
import { waitingMessages } from '../webhooks/waiting.ts';
import { valuesAt } from './alert-event.ts';
import type { Alerts } from './alerts.ts';
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
/** Of one answer. */
const maxTold = 10_000;

export function createAlertQueries(
  store: Pick<Store, 'run' | 'catalog'>,
  alerts: Alerts,
  webhooks: Pick<WebhookSender, 'problemOf'>,
  now: () => number,
): AlertQueries {
  const { catalog } = store;
  const messages = waitingMessages(catalog);

  /** What rules of a topic know of streams, in no order. */
  async function* known(workspace: string, { topic, all }: ListedTopic, filter: AlertFilter) {
    let seen = 0;
    const rules = new Map(all.map((rule) => [rule.rule.name, rule]));
    for (const { id } of catalog.keptItems(workspace, 'alertState', topic)) {
      if (++seen % statesAtOnce === 0) await nextTurn();
      const { rule: name, streamId } = namedByStateId(id);
      const rule = rules.get(name);
      if (rule === undefined || !isAsked(filter, name, streamId)) continue;
      const state = alerts.states.get({ workspace, topic, rule: name, streamId });
      if (state?.made === rule.made) yield { streamId, rule, state };
    }
  }

  /** What fires in a topic; and what was left out of rows, and what webhooks were not told of. */
  async function ofTopic(workspace: string, listed: ListedTopic, filter: AlertFilter) {
    const { topic } = listed;
    const untold = untoldMessages(workspace, topic);
    const found = [];
    for await (const one of known(workspace, listed, filter))
      if (one.state.firing !== Firing.No || problemOf(one) !== undefined) found.push(one);
    const shown = await shownStreams(workspace, topic, new Set(found.map(({ streamId }) => streamId)));
    const fires: Listed[] = [];
    const failed: Listed[] = [];
    for (const one of found) {
      const { streamId, rule, state } = one;
      if (!shown.has(streamId)) continue;
      const { name } = rule.rule;
      const problem = problemOf(one);
      if (problem !== undefined) failed.push({ topic, name, streamId, state: 'failed', problem });
      if (state.firing === Firing.No) continue;
      const key = stateId(name, streamId);
      const webhook =
        rule.rule.webhook === undefined ? undefined : (untold.get(key)?.webhook ?? { waiting: 0 });
      untold.delete(key);
      fires.push(entryOf(topic, streamId, rule, state, webhook));
    }
    for (const { rule: name, streamId, webhook } of untold.values()) {
      if (webhook.problem === undefined || !isAsked(filter, name, streamId)) continue;
      const problem = `its webhook ${webhook.givenUp ? 'was not told' : 'is not told yet'}: ${webhook.problem}`;
      failed.push({ topic, name, streamId, state: 'failed', problem, webhook });
    }
    return { fires, failed };
  }

  function problemOf({ rule, state }: { rule: KeptRule; state: KeptState }): string | undefined {
    return state.revision === rule.revision ? problemOfAhead(state, now()) : undefined;
  }

  /** The streams without those that are deleted: what they hold is shown nowhere. */
  async function shownStreams(
    workspace: string,
    topic: string,
    streamIds: ReadonlySet<string>,
  ): Promise<ReadonlySet<string>> {
    if (streamIds.size === 0) return streamIds;
    const filter = { topic, streamIds: [...streamIds] };
    return new Set((await catalog.streams(workspace, filter, now())).map(({ streamId }) => streamId));
  }

  function untoldMessages(workspace: string, topic: string): Map<string, Untold> {
    const found = new Map<string, Untold>();
    const ruleOf = messages.rulesOf(workspace);
    for (const one of messages.ofTopic(workspace, topic)) {
      if (ruleOf(one) === undefined) continue;
      const { rule, streamId, message } = one;
      const key = stateId(rule, streamId);
      const problem = webhooks.problemOf(workspace, topic, one);
      const before = found.get(key)?.webhook ?? { waiting: 0, ...(problem !== undefined && { problem }) };
      const webhook: WebhookState =
        message.givenUp === undefined
          ? { ...before, waiting: before.waiting + 1 }
          : { problem: message.givenUp, ...before, givenUp: true };
      found.set(key, { rule, streamId, webhook });
    }
    return found;
  }

  return {
    async list(workspace, filter) {
      await catalog.refresh();
      const fires: Listed[] = [];
      const failed: AlertEntry[] = [];
      for (const listed of alerts.rules.ofWorkspace(workspace).topics.values()) {
        if (filter.topics?.has(foldTopic(listed.topic)) === false) continue;
        const found = await ofTopic(workspace, listed, filter);
        fires.push(...found.fires);
        failed.push(...found.failed.sort(inOrder));
      }
      const found: AlertEntry[] = [...fires.sort(inOrder), ...failed];
      for (const { topic, name, problem } of alerts.rules.ofWorkspace(workspace).unusable) {
        if (filter.topics?.has(foldTopic(topic)) !== false)
          found.push({ topic, name, state: 'failed', problem });
      }
      for (const { workspace: owner, topic, rule: name, streamId, problem } of alerts.problems.values()) {
        const isOwn = owner === workspace && filter.topics?.has(foldTopic(topic)) !== false;
        const isThere = alerts.rules.ofTopic(workspace, topic)?.all.some(({ rule }) => rule.name === name);
        if (isOwn && isThere === true && isAsked(filter, name, streamId))
          found.push({ topic, name, streamId, state: 'failed', problem });
      }
      return found;
    },

    async test(workspace, topic, name, { streamIds, from, to }, signal, countRows) {
      await catalog.refresh();
      const ofTopic = alerts.rules.ofTopic(workspace, topic);
      const kept = ofTopic?.all.find((one) => one.rule.name === name);
      if (ofTopic === undefined || kept === undefined) {
        throw new PitwallError('alert_not_found', {
          detail: `there is no alert rule '${name}' in the topic '${topic}'`,
        });
      }
      const rule = ofTopic.compiled(kept);
      if (typeof rule === 'string') throw new PitwallError('bad_expression', { detail: rule });
      const watched = await watchedStreams(workspace, topic, ofTopic, rule, streamIds);
      const allowed = alerts.lastAllowed();
      const first = from ?? minTimestamp;
      const last = to === undefined || to > allowed ? allowed : to;
      if (watched.length === 0 || first > last) return [];
      const plan = {
        workspace,
        streamIds: watched,
        topic,
        from: first,
        to: last,
        tagFilters: [],
        parameters: rule.operands.map((operand) => ({ kind: Kind.Numeric, name: operand })),
        order: 'Asc' as const,
        limit: undefined,
        after: undefined,
      };
      const followed = new Map<string, { state: RuleState | undefined; readonly blocks: WholeTimes }>();
      const said: AlertEntry[] = [];
      const follow = (streamId: string, next: (blocks: WholeTimes) => OperandRows[]): void => {
        const stream = followed.get(streamId) ?? { state: undefined, blocks: wholeTimes() };
        followed.set(streamId, stream);
        for (const own of next(stream.blocks)) {
          const steps = rule.follow(stream.state, own, 0, ({ state, time, row }) => {
            if (said.length >= maxTold) throw tooManyChanges();
            said.push({ streamId, state, values: valuesAt(rule, own, row), timestamp: time });
          });
          stream.state = whole(steps);
        }
      };
      for await (const block of store.run(plan, signal, countRows)) {
        for (const { stream, rows } of rowsOfStreams(block)) {
          const own = operandsOf(rule, rows === undefined ? block : pickRows(block, rows));
          follow(stream.streamId, (blocks) => blocks.next(own));
        }
      }
      for (const streamId of followed.keys()) follow(streamId, (blocks) => blocks.end());
      return said.sort((a, b) => (a.timestamp! < b.timestamp! ? -1 : a.timestamp! > b.timestamp! ? 1 : 0));
    },
  };

  async function watchedStreams(
    workspace: string,
    topic: string,
    rules: TopicRules,
    rule: CompiledRule,
    streamIds: readonly string[],
  ): Promise<string[]> {
    const found: string[] = [];
    for (const streamId of new Set(streamIds)) {
      const described = rules.asksFor(streamId)
        ? await catalog.describe(workspace, topic, streamId, now())
        : undefined;
      const stream = described?.stream ?? newStream(topic, streamId);
      if (rules.of(streamId, () => stream).rules.includes(rule)) found.push(streamId);
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
  { rule }: KeptRule,
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

/** The columns of a block stand in the order of the operands. */
function operandsOf({ operands }: CompiledRule, { count, base, offsets, columns }: RowBlock): OperandRows {
  const named = new Map<string, { values: Float64Array; present: Uint8Array | undefined }>();
  for (const [i, name] of operands.entries()) {
    const column = columns[i];
    if (column?.kind === Kind.Numeric) named.set(name, { values: column.values, present: column.present });
  }
  return { count, base, offsets, columns: named };
}

function tooManyChanges(): PitwallError {
  return new PitwallError('result_too_large', {
    detail: `the rule would have changed more than ${maxTold} times; ask for fewer streams or less time, or give it a 'for'`,
  });
}
