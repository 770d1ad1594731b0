import { type KeptState, namedByStateId } from '../../alerts/kept-state.ts';
import { Firing } from '../../alerts/rule-state.ts';
import type { KeptRule } from '../../domain/alert.ts';
import type { Log } from '../../log.ts';
import type { Store } from '../../store/store.ts';
import { nextTurn } from '../../turns/rest.ts';
import type { Committer } from '../commit.ts';
import type { Alerts } from './alerts.ts';
import { type Listened, listeningTime, tickMs } from './listening.ts';
import type { StateName } from './rule-states.ts';
import type { TopicRules } from './topic-rules.ts';
import { watchMarks } from './watch-marks.ts';

/** Lets rules with `noDataFor` fire. */
export interface SilenceWatch {
  /** How often to call `tick`. */
  readonly tickMs: number;
  /** Looks whether streams have been silent for too long. Never rejects. */
  tick(): Promise<void>;
  /** Ends with the look that is under way, and keeps until when rows were taken. Never rejects. */
  end(): Promise<void>;
}

export interface SilenceWatchOptions {
  readonly store: Pick<Store, 'append' | 'health'> & {
    readonly catalog: Pick<
      Store['catalog'],
      'keptItem' | 'keptItems' | 'workspace' | 'workspaces' | 'describe'
    >;
  };
  readonly alerts: Pick<Alerts, 'rules' | 'states'>;
  readonly commit: Committer['commitSilence'];
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  readonly log: Pick<Log, 'error'>;
}

/** States that are looked at between two turns of the event loop. */
const statesAtOnce = 1000;

/** Streams that are asked for, or of which is written, at one time: each may wait for the disk, or for a database. */
const streamsAtOnce = 64;

/** A stream that has ended is not waited for. */
const ended: ReadonlySet<string> = new Set(['Closed', 'Aborted', 'Terminated', 'SoftDeleted', 'Deleting']);

/**
 * To ask for a stream may be a question to the database, so those that are not awaited are asked for less and less often. A
 * row makes a new state, which is looked at in time.
 */
const longestPauseMs = 600_000;

/** While streams are waited for and no rows come, a mark tells how far that was seen. */
const markEveryMs = 60_000;

/** So much (ms) of the time since a mark may have passed without the service taking rows. */
const mostLostMs = 5000;

export function silenceWatch({ store, alerts, commit, now, log }: SilenceWatchOptions): SilenceWatch {
  const { catalog } = store;
  /** When (ms) to look again whether a stream that was not awaited is. */
  const lookAgain = new WeakMap<KeptState, number>();
  /** When (ms) states were seen first that were heard of later than now: by a clock that was wrong. */
  const firstSeen = new WeakMap<KeptState, number>();
  /** When (ms) rows came last, as states of workspaces tell. */
  const heard = new Map<string, number>();
  /** Workspaces in which a stream may become silent for too long. */
  const counting = new Set<string>();
  /** What of the time since this start was lost (ms) when a mark of a workspace was kept. */
  const marked = new Map<string, number>();
  const marks = watchMarks(store);
  const started = now();
  let looking: Promise<void> | undefined;
  let isFirst = true;
  let isFailing = false;
  let isTold = false;
  const listening = listeningTime(now, () => !isFailing && store.health().writable);

  async function look(): Promise<void> {
    await lookAtAll();
    if (isFirst) {
      listening.began(before());
      isFirst = false;
      await lookAtAll();
    }
    if (!listening.isListening()) return;
    isTold = false;
    await keepMarks(isDue);
  }

  /** What the store tells of the time before this start. */
  function before(): Listened | undefined {
    const kept = catalog.workspaces().flatMap(({ name }) => marks.of(name) ?? []);
    const times = [...heard.values(), ...kept.map(({ until }) => until)].filter((time) => time < started);
    if (times.length === 0) return undefined;
    return { until: Math.max(...times), gaps: kept.flatMap(({ gaps }) => gaps) };
  }

  /** Whether what a start would learn without a new mark is old, or wrong by seconds. */
  function isDue(workspace: string): boolean {
    // The first one tells of the time before this start.
    if (listening.lostMs() - (marked.get(workspace) ?? Number.NEGATIVE_INFINITY) > mostLostMs) return true;
    const known = [heard.get(workspace) ?? 0, marks.of(workspace)?.until ?? 0];
    return now() - Math.max(0, ...known.filter((time) => time <= now())) >= markEveryMs;
  }

  async function keepMarks(isWanted: (workspace: string) => boolean): Promise<void> {
    for (const workspace of counting) {
      if (!isWanted(workspace)) continue;
      await marks.keep(workspace, listening.listened());
      marked.set(workspace, listening.lostMs());
    }
  }

  async function lookAtAll(): Promise<void> {
    heard.clear();
    counting.clear();
    for (const { name: workspace } of catalog.workspaces()) {
      for (const rules of alerts.rules.ofWorkspace(workspace).topics.values()) {
        const waiting = new Map(waitingRules(rules));
        if (waiting.size > 0) await lookAtTopic(workspace, rules, waiting);
      }
    }
  }

  async function lookAtTopic(
    workspace: string,
    rules: TopicRules & { readonly topic: string },
    waiting: ReadonlyMap<string, KeptRule>,
  ): Promise<void> {
    const { topic } = rules;
    const underWay: Promise<void>[] = [];
    const failures: unknown[] = [];
    const settle = async (): Promise<void> => {
      await Promise.all(underWay.splice(0));
      if (failures.length > 0) throw failures[0];
    };
    let seen = 0;
    for (const { id } of catalog.keptItems(workspace, 'alertState', topic)) {
      if (++seen % statesAtOnce === 0) await nextTurn();
      const { rule: ruleName, streamId } = namedByStateId(id);
      const rule = waiting.get(ruleName);
      if (rule === undefined) continue;
      const name = { workspace, topic, rule: ruleName, streamId };
      const state = alerts.states.get(name);
      if (state?.made !== rule.made) continue;
      const overdue = overdueOf(workspace, state, Number(rule.rule.noDataForNs! / 1_000_000n));
      if (overdue === undefined) {
        if (state.firing === Firing.No) counting.add(workspace);
        continue;
      }
      if ((lookAgain.get(state) ?? 0) > now()) continue;
      underWay.push(fire(rules, name, state, overdue).catch((error: unknown) => void failures.push(error)));
      if (underWay.length === streamsAtOnce) await settle();
    }
    await settle();
  }

  function overdueOf(workspace: string, state: KeptState, noDataForMs: number): number | undefined {
    const time = now();
    const isLater = state.heardAt > time || firstSeen.has(state);
    if (isLater && !firstSeen.has(state)) firstSeen.set(state, time);
    if (!isLater) heard.set(workspace, Math.max(state.heardAt, heard.get(workspace) ?? 0));
    // How long the service was down is known after the first look.
    if (isFirst || state.firing !== Firing.No) return undefined;
    return listening.overdue(firstSeen.get(state) ?? state.heardAt, noDataForMs);
  }

  /** @param overdue for how long (ms) it has been silent for too long */
  async function fire(rules: TopicRules, name: StateName, state: KeptState, overdue: number): Promise<void> {
    if (await isAwaited(rules, name)) await commit(name, state);
    else lookAgain.set(state, now() + Math.min(overdue + 1000, longestPauseMs));
  }

  /** Whether the stream is open, and the rule watches it still and can be evaluated. */
  async function isAwaited(
    rules: TopicRules,
    { workspace, topic, rule, streamId }: StateName,
  ): Promise<boolean> {
    const described = await catalog.describe(workspace, topic, streamId, now());
    if (described === undefined || ended.has(described.stream.status)) return false;
    return rules.of(streamId, () => described.stream).rules.some((one) => one.rule.name === rule);
  }

  return {
    tickMs,
    tick() {
      listening.tick();
      looking ??= look()
        .then(
          () => {
            isFailing = false;
          },
          (error: unknown) => {
            // What was not written is tried again, once a look has gone well.
            isFailing = true;
            if (!isTold) log.error({ err: error }, 'streams that rules wait for cannot be looked at');
            isTold = true;
          },
        )
        .finally(() => {
          looking = undefined;
        });
      return looking;
    },
    async end() {
      await looking;
      if (listening.isListening()) await keepMarks(() => true).catch(() => undefined);
    },
  };
}

function* waitingRules({ all }: TopicRules): Generator<[string, KeptRule]> {
  for (const rule of all) if (rule.rule.noDataForNs !== undefined) yield [rule.rule.name, rule];
}
