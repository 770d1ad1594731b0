import type { ChosenBy } from '../../alerts/matching-stream.ts';
import { nanoseconds } from '../../alerts/rows-ahead.ts';
import { afterSilence } from '../../alerts/rule-state.ts';
import { type StoredState, stateBody } from '../../alerts/stored-state.ts';
import type { StoredRule } from '../../domain/alert.ts';
import { type EventDefinition, type StreamDescription, withoutNull } from '../../domain/definition.ts';
import type { StreamKey } from '../../domain/stream.ts';
import { foldTopic } from '../../domain/topic.ts';
import type { Answer, Catalog, Change } from '../../store/store.ts';
import { type Steps, whole } from '../../turns/steps.ts';
import type { Announcement } from '../announcement.ts';
import { rowsOfEvents } from '../event-rows.ts';
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
  readonly announcements: readonly Announcement[];
  /** Called once: what is written is durable, or has failed. */
  settle(): void;
}

/** Watches what is written for the rules of its topics. */
export interface Alerts {
  readonly rules: AlertRules;
  readonly states: RuleStates;
  /** Rules that could not be evaluated here, and why: by workspace, topic and name, in lines. */
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
  placeSilence(name: StateName, state: StoredState): AlertChanges | undefined;
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

/** A rule could not be evaluated, as it was worded then: the last time of all. */
export interface Problem extends StateName, Pick<StoredRule, 'made' | 'revision'> {
  readonly problem: string;
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
  return new RuleWatch(catalog, options);
}

/** What changes say of a stream: that of a judgement, or of silence. */
type StreamChanges = Omit<StreamJudgement, 'isNew'>;

class RuleWatch implements Alerts {
  readonly #catalog;
  readonly #options;
  readonly #outgoing;
  readonly rules;
  readonly states;
  readonly problems = new Map<string, Problem>();
  /** Undefined until somebody asks. */
  #isShared: boolean | undefined;

  constructor(catalog: Catalog, options: AlertsOptions) {
    this.#catalog = catalog;
    this.#options = options;
    this.rules = alertRules(catalog);
    this.states = ruleStates(catalog);
    this.#outgoing = outgoingMessages(catalog, options.now, (name, rule, lost) => {
      this.#noteProblem(
        name,
        rule,
        `${lost} messages to its webhook are not sent: a write may make ${maxMessagesOfWrite}, and ${maxWaiting} may wait`,
      );
      options.onNoRoom?.(lost);
    });
  }

  lastAllowed(): bigint {
    return nanoseconds(this.#options.now() + this.#options.aheadMs);
  }

  isShared(): boolean {
    if (this.#isShared === undefined) {
      const looking = this.#catalog.refresh();
      // Who fails asks again.
      looking?.catch(() => undefined);
      this.#isShared = looking !== undefined;
    }
    return this.#isShared;
  }

  watches(workspace: string, changes: readonly Change[]): boolean {
    if (this.rules.ofWorkspace(workspace).topics.size === 0) return false;
    return isWatched({ rules: this.rules, states: this.states, isNew: this.#isNew }, workspace, changes);
  }

  asked(workspace: string, changes: readonly Change[]): readonly { topic: string; streamId: string }[] {
    const found = new Map<string, { topic: string; streamId: string }>();
    for (const change of changes) {
      if (change.type !== 'rows') continue;
      const { topic, streamId } = change;
      if (this.rules.ofTopic(workspace, topic)?.asksFor(streamId) === true)
        found.set(streamKey(topic, streamId), { topic, streamId });
    }
    return [...found.values()];
  }

  judge(
    workspace: string,
    changes: readonly Change[],
    known?: DescribedStreams,
  ): Steps<Judgement | undefined> {
    const { now, aheadMs } = this.#options;
    const options: JudgeOptions = {
      rules: this.rules,
      states: this.states,
      isNew: this.#isNew,
      describe: (ofWorkspace, topic, streamId) =>
        known === undefined
          ? this.#describe(ofWorkspace, topic, streamId)
          : known.get(streamKey(topic, streamId)),
      now,
      aheadMs,
      onProblem: (name, rule, problem) => this.#noteProblem(name, rule, problem),
    };
    return judge(options, workspace, changes);
  }

  isCurrent({ streams }: Judgement): boolean {
    return streams.every(({ topic, streamId, isNew, states }) =>
      states.every(
        ({ name, before }) =>
          this.states.get(name) === before && (isNew || !this.#isNew(name.workspace, topic, streamId)),
      ),
    );
  }

  makesStreams(workspace: string, changes: readonly Change[]): boolean {
    return changes.some(
      (change) => 'streamId' in change && this.#isNew(workspace, change.topic, change.streamId),
    );
  }

  place({ streams, stale }: Judgement): AlertChanges {
    // What another write has made meanwhile has begun anew by itself.
    const forgotten = stale.filter(({ workspace, topic, streamId }) =>
      this.#isNew(workspace, topic, streamId),
    );
    return this.#changesOf(streams, forgotten, false);
  }

  placeSilence(name: StateName, state: StoredState): AlertChanges | undefined {
    const rule = this.rules
      .ofTopic(name.workspace, name.topic)
      ?.all.find((one) => one.rule.name === name.rule && one.made === state.made);
    if (rule === undefined || this.states.get(name) !== state) return undefined;
    const silent = afterSilence(state, this.lastAllowed());
    const { topic, streamId } = name;
    const event = alertEvent(rule, 'firing', silent.changedAt!, undefined);
    const isSameWording = state.revision === rule.revision;
    const isUntold = !state.told || !isSameWording;
    const next = { ...(isSameWording ? silent : worded(silent)), revision: rule.revision, told: true };
    const untold = isUntold ? [rule] : [];
    const states = [{ name, rule, before: state, state: next, events: [event] }];
    return this.#changesOf([{ topic, streamId, events: [event], untold, states, ahead: 0 }], [], true);
  }

  forgetting(
    workspace: string,
    streams: Iterable<StreamKey>,
    removedAt: number,
  ): Generator<readonly Change[]> {
    return forgetting(this.#catalog, workspace, streams, removedAt);
  }

  /** @param quiet whether the changes leave a stream that is not there alone, and a closed one closed */
  #changesOf(streams: readonly StreamChanges[], stale: readonly StateName[], quiet: boolean): AlertChanges {
    const changes: Change[] = stale.map(forgetState);
    const announcements: Announcement[] = [];
    const placed: { settle(): void }[] = stale.map(this.states.drop);
    for (const { topic, streamId, events, untold, states, ahead } of streams) {
      if (ahead > 0) this.#options.onAhead?.(ahead);
      const stream = { topic, streamId, ...(quiet && { quiet }) };
      if (untold.length > 0) {
        const definitions = untold.map(alertDefinition);
        changes.push({ ...stream, type: 'eventDefinitions', definitions });
        const content = {
          type: 'eventDefinitions',
          definitions: definitions.map(withoutNull<EventDefinition>),
        } as const;
        announcements.push({ ...stream, bytes: 0, content });
      }
      if (events.length > 0) {
        changes.push({ ...stream, type: 'rows', rows: rowsOfEvents(events) });
        const bytes = events.reduce((sum, { value }) => sum + value.length, 0);
        announcements.push({ ...stream, bytes, content: { type: 'eventData', events } });
      }
      for (const one of states) {
        const body = stateBody(one.state);
        const messages = this.#outgoing(one);
        changes.push(...messages.changes, keepState(one.name, body));
        placed.push(this.states.put(one.name, one.state, body), messages);
      }
    }
    return {
      changes,
      announcements,
      settle() {
        for (const one of placed) one.settle();
      },
    };
  }

  readonly #isNew = (workspace: string, topic: string, streamId: string): boolean =>
    this.#catalog.isNew(workspace, topic, streamId) === true;

  /** The stream as the store has it at once; undefined where there is none, or the store would have to ask. */
  #describe(workspace: string, topic: string, streamId: string): ChosenBy | undefined {
    const described = this.#catalog.describe(workspace, topic, streamId, this.#options.now());
    return isAnswer(described) ? described?.stream : undefined;
  }

  #noteProblem(name: StateName, { made, revision }: StoredRule, problem: string): void {
    const key = `${name.workspace}\n${foldTopic(name.topic)}\n${name.rule}`;
    this.problems.delete(key);
    this.problems.set(key, { ...name, made, revision, problem });
    if (this.problems.size > maxProblems) this.problems.delete(this.problems.keys().next().value!);
  }
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
