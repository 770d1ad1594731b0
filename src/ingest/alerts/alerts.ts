import { type KeptState, stateBody } from '../../alerts/kept-state.ts';
import type { ChosenBy } from '../../alerts/matching-stream.ts';
import { nanoseconds } from '../../alerts/rows-ahead.ts';
import { afterSilence } from '../../alerts/rule-state.ts';
import type { StreamDescription } from '../../domain/definition.ts';
import type { StreamKey } from '../../domain/stream.ts';
import type { Answer, Catalog, Change } from '../../store/store.ts';
import { type Steps, whole } from '../../turns/steps.ts';
import { rowsOfEvents } from '../event-rows.ts';
import type { Said } from '../said.ts';
import { alertDefinition, alertEvent } from './alert-event.ts';
import { forgetting } from './forgetting.ts';
import {
  isWatched,
  type Judgement,
  type JudgeOptions,
  judge,
  type StreamJudgement,
  worded,
} from './judge.ts';
import { forgetState, keepState, type RuleStates, ruleStates, type StateName } from './rule-states.ts';
import { streamKey } from './stream-key.ts';
import { type AlertRules, alertRules } from './topic-rules.ts';
import { maxMessagesOfWrite, maxWaiting, outgoingMessages } from './webhook-messages.ts';

/** What a write has to carry with it, in its record. */
export interface AlertChanges {
  readonly changes: readonly Change[];
  /** Of the events, for live readers. */
  readonly said: readonly Said[];
  /** Called once: what is written is durable, or has failed. */
  settle(): void;
}

/** Watches what is written for the rules of its topics. */
export interface Alerts {
  readonly rules: AlertRules;
  readonly states: RuleStates;
  /** Rules that could not be evaluated here, by `problemKey`, and why. */
  readonly problems: ReadonlyMap<string, Problem>;
  /** The last time (ns) of rows that the clock allows now. */
  lastAllowed(): bigint;
  /** Whether a rule may watch what a batch writes. */
  watches(workspace: string, changes: readonly Change[]): boolean;
  /** The streams of a batch that rules have described, by topic and id. */
  asked(workspace: string, changes: readonly Change[]): readonly { topic: string; streamId: string }[];
  /** What rules say of a batch. It holds as long as `isCurrent` says so. */
  judge(
    workspace: string,
    changes: readonly Change[],
    known?: DescribedStreams,
  ): Steps<Judgement | undefined>;
  isCurrent(judgement: Judgement): boolean;
  /** Whether the batch, which is placed now, makes any stream. */
  makesStreams(workspace: string, changes: readonly Change[]): boolean;
  /** The batch is placed now: writes after it build on this. */
  place(judgement: Judgement): AlertChanges;
  /** Whether other nodes write, of whom this one hears later. */
  isShared(): boolean;
  /** What is written where a stream was silent for too long; undefined where the state is another one by now. */
  placeSilence(name: StateName, state: KeptState): AlertChanges | undefined;
  /**
   * The states of streams, which were removed for good, and what webhooks would tell of them: the changes that forget them, some at a time;
   * none where it is time for others.
   *
   * @param removedAt milliseconds since the Unix epoch
   */
  forgetting(
    workspace: string,
    streams: Iterable<StreamKey>,
    removedAt: number,
  ): Generator<readonly Change[]>;
}

/** A rule could not be evaluated: the last time of all. */
export interface Problem extends StateName {
  readonly problem: string;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
}

export type DescribedStreams = ReadonlyMap<string, ChosenBy | undefined>;

/** Rules of whose problems is told, at most. */
const maxProblems = 1000;

export interface AlertsOptions {
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** How far (ms) rows may be ahead of it: rules leave others out. */
  readonly aheadMs: number;
  /** Told of how many messages to webhooks there was no room for. */
  readonly onNoRoom?: (messages: number) => void;
  /** Told of how many rows a write had that rules left out, counted for each rule. */
  readonly onAhead?: (rows: number) => void;
}

export function createAlerts(catalog: Catalog, options: AlertsOptions): Alerts {
  const { now, aheadMs, onNoRoom, onAhead } = options;
  const rules = alertRules(catalog);
  const states = ruleStates(catalog);
  const problems = new Map<string, Problem>();

  const onProblem = (name: StateName, problem: string): void => {
    const key = `${name.workspace}\n${name.topic}\n${name.rule}`;
    problems.delete(key);
    problems.set(key, { ...name, problem, at: now() });
    if (problems.size > maxProblems) problems.delete(problems.keys().next().value!);
  };
  const outgoing = outgoingMessages(catalog, now, (name, lost) => {
    onProblem(
      name,
      `${lost} messages to its webhook are not sent: a write may make ${maxMessagesOfWrite}, and ${maxWaiting} may wait`,
    );
    onNoRoom?.(lost);
  });

  const isNew = (workspace: string, topic: string, streamId: string): boolean =>
    catalog.isNew(workspace, topic, streamId) === true;

  const judging = (known: DescribedStreams | undefined): JudgeOptions => ({
    rules,
    states,
    isNew,
    describe(workspace, topic, streamId) {
      if (known !== undefined) return known.get(streamKey(topic, streamId));
      const described = catalog.describe(workspace, topic, streamId, now());
      return isAnswer(described) ? described?.stream : undefined;
    },
    now,
    aheadMs,
    onProblem,
  });

  const changesOf = (
    streams: readonly Omit<StreamJudgement, 'isNew'>[],
    stale: readonly StateName[],
    quiet: boolean,
  ): AlertChanges => {
    const changes: Change[] = stale.map(forgetState);
    const said: Said[] = [];
    const placed: { settle(): void }[] = stale.map(states.drop);
    for (const { topic, streamId, events, untold, states: made, ahead } of streams) {
      if (ahead > 0) onAhead?.(ahead);
      const stream = { topic, streamId, ...(quiet && { quiet }) };
      if (untold.length > 0) {
        const definitions = untold.map(alertDefinition);
        changes.push({ ...stream, type: 'eventDefinitions', definitions });
        said.push({ ...stream, bytes: 0, content: { type: 'eventDefinitions', definitions } });
      }
      if (events.length > 0) {
        changes.push({ ...stream, type: 'rows', rows: rowsOfEvents(events) });
        const bytes = events.reduce((sum, { value }) => sum + value.length, 0);
        said.push({ ...stream, bytes, content: { type: 'eventData', events } });
      }
      for (const one of made) {
        const body = stateBody(one.state);
        const messages = outgoing(one);
        changes.push(...messages.changes, keepState(one.name, body));
        placed.push(states.put(one.name, one.state, body), messages);
      }
    }
    return {
      changes,
      said,
      settle() {
        for (const one of placed) one.settle();
      },
    };
  };

  const lastAllowed = (): bigint => nanoseconds(now() + aheadMs);

  let shared: boolean | undefined;

  return {
    rules,
    states,
    problems,
    lastAllowed,
    isShared() {
      if (shared === undefined) {
        const looking = catalog.refresh();
        // Who fails asks again.
        looking?.catch(() => undefined);
        shared = looking !== undefined;
      }
      return shared;
    },
    watches: (workspace, changes) => isWatched({ rules, states, isNew }, workspace, changes),
    asked(workspace, changes) {
      const found = new Map<string, { topic: string; streamId: string }>();
      for (const change of changes) {
        if (change.type !== 'rows') continue;
        const { topic, streamId } = change;
        if (rules.ofTopic(workspace, topic)?.asksFor(streamId) === true)
          found.set(streamKey(topic, streamId), { topic, streamId });
      }
      return [...found.values()];
    },
    judge: (workspace, changes, known) => judge(judging(known), workspace, changes),
    forgetting: (workspace, streams, removedAt) => forgetting(catalog, workspace, streams, removedAt),
    isCurrent: ({ streams }) =>
      streams.every(({ topic, streamId, isNew: wasNew, states: made }) =>
        made.every(
          ({ name, before }) =>
            states.get(name) === before && (wasNew || !isNew(name.workspace, topic, streamId)),
        ),
      ),
    makesStreams: (workspace, changes) =>
      changes.some((change) => 'streamId' in change && isNew(workspace, change.topic, change.streamId)),
    place: ({ streams, stale }) =>
      // What another write has made meanwhile has begun anew by itself.
      changesOf(
        streams,
        stale.filter(({ workspace, topic, streamId }) => isNew(workspace, topic, streamId)),
        false,
      ),
    placeSilence(name, state) {
      const rule = rules
        .ofTopic(name.workspace, name.topic)
        ?.all.find((one) => one.rule.name === name.rule && one.made === state.made);
      if (rule === undefined || states.get(name) !== state) return undefined;
      const silent = afterSilence(state, lastAllowed());
      const { topic, streamId } = name;
      const event = alertEvent(rule, 'firing', silent.changedAt!, undefined);
      const isSameWording = state.revision === rule.revision;
      const isUntold = !state.told || !isSameWording;
      const next = { ...(isSameWording ? silent : worded(silent)), revision: rule.revision, told: true };
      const untold = isUntold ? [rule] : [];
      const made = [{ name, rule, before: state, state: next, events: [event] }];
      return changesOf([{ topic, streamId, events: [event], untold, states: made, ahead: 0 }], [], true);
    },
  };
}

function isAnswer(
  described: Answer<StreamDescription | undefined>,
): described is StreamDescription | undefined {
  return !(described instanceof Promise);
}

/** What the rules say of a batch, at once. */
export function judgedAtOnce(
  alerts: Alerts,
  workspace: string,
  changes: readonly Change[],
  known?: DescribedStreams,
): AlertChanges | undefined {
  const judgement = whole(alerts.judge(workspace, changes, known));
  return judgement && alerts.place(judgement);
}
