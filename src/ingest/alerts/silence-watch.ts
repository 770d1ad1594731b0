import { Firing } from '../../alerts/rule-state.ts';
import { namedByStateId, type StoredState } from '../../alerts/stored-state.ts';
import type { StoredRule } from '../../domain/alert.ts';
import type { Log } from '../../log.ts';
import type { Keeper } from '../../store/store.ts';
import { nextTurn } from '../../turns/rest.ts';
import type { Committer } from '../commit.ts';
import type { Alerts } from './alerts.ts';
import { type Listened, listeningTime, tickMs } from './listening.ts';
import { forgetOrphans, type OrphansOptions } from './orphans.ts';
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
  readonly store: OrphansOptions['store'] & Pick<Keeper, 'health'>;
  readonly alerts: Pick<Alerts, 'rules' | 'states'>;
  readonly committer: Pick<Committer, 'commitSilence'>;
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

/** How often a mark tells how far silence was seen, while streams are waited for and no rows come. */
const markEveryMs = 60_000;

/** How often states are looked for whose rule or stream is gone: a kill, or a full disk, has left them. */
const sweepEveryMs = 600_000;

/** The longest time since a mark that may have passed without the service taking rows. */
const mostLostMs = 5000;

export function silenceWatch(parts: SilenceWatchOptions): SilenceWatch {
  return new StreamSilence(parts);
}

class StreamSilence implements SilenceWatch {
  readonly #parts: SilenceWatchOptions;
  /** When (ms) to look again whether a stream that was not awaited is. */
  readonly #lookAgain = new WeakMap<StoredState, number>();
  /** When (ms) states were seen first that were heard of later than now: by a clock that was wrong. */
  readonly #firstSeen = new WeakMap<StoredState, number>();
  /** When (ms) rows came last, as states of workspaces tell. */
  readonly #heard = new Map<string, number>();
  /** Workspaces in which a stream may become silent for too long. */
  readonly #counting = new Set<string>();
  /** What of the time since this start was lost (ms) when a mark of a workspace was kept. */
  readonly #marked = new Map<string, number>();
  readonly #marks;
  readonly #started;
  /** The look that is under way. */
  #looking: Promise<void> | undefined;
  #isFirst = true;
  #sweepAt = 0;
  /** Was logged; the next failure is not. */
  #isFailing = false;
  #isTold = false;
  readonly #listening;

  constructor(parts: SilenceWatchOptions) {
    this.#parts = parts;
    this.#marks = watchMarks(parts.store);
    this.#started = parts.now();
    this.#listening = listeningTime(parts.now, () => !this.#isFailing && parts.store.health().writable);
  }

  readonly tickMs: number = tickMs;

  readonly tick = (): Promise<void> => {
    this.#listening.tick();
    this.#looking ??= this.#look()
      .then(
        () => {
          this.#isFailing = false;
        },
        (error: unknown) => {
          // What was not written is tried again, once a look has gone well.
          this.#isFailing = true;
          if (!this.#isTold)
            this.#parts.log.error({ err: error }, 'streams that rules wait for cannot be looked at');
          this.#isTold = true;
        },
      )
      .finally(() => {
        this.#looking = undefined;
      });
    return this.#looking;
  };

  /** Whether what a start would learn without a new mark is old, or wrong by seconds. */
  readonly #isDue = (workspace: string): boolean => {
    // The first one tells of the time before this start.
    if (this.#listening.lostMs() - (this.#marked.get(workspace) ?? Number.NEGATIVE_INFINITY) > mostLostMs)
      return true;
    const known = [this.#heard.get(workspace) ?? 0, this.#marks.of(workspace)?.until ?? 0];
    return (
      this.#parts.now() - Math.max(0, ...known.filter((time) => time <= this.#parts.now())) >= markEveryMs
    );
  };

  async end(): Promise<void> {
    await this.#looking;
    if (this.#listening.isListening()) await this.#keepMarks(() => true).catch(() => undefined);
  }

  async #look(): Promise<void> {
    await this.#lookAtAll();
    if (this.#isFirst) {
      this.#listening.began(this.#before());
      this.#isFirst = false;
      await this.#lookAtAll();
    }
    if (!this.#listening.isListening()) return;
    this.#isTold = false;
    await this.#keepMarks(this.#isDue);
    await this.#sweep();
  }

  async #sweep(): Promise<void> {
    if (!hasCome(this.#sweepAt, this.#parts.now(), sweepEveryMs)) return;
    this.#sweepAt = this.#parts.now() + sweepEveryMs;
    const { store, alerts } = this.#parts;
    for (const { name } of store.catalog.workspaces())
      await forgetOrphans({ store, states: alerts.states }, name);
  }

  /** What the store tells of the time before this start. */
  #before(): Listened | undefined {
    const kept = this.#parts.store.catalog.workspaces().flatMap(({ name }) => this.#marks.of(name) ?? []);
    const times = [...this.#heard.values(), ...kept.map(({ until }) => until)].filter(
      (time) => time < this.#started,
    );
    if (times.length === 0) return undefined;
    return { until: Math.max(...times), gaps: kept.flatMap(({ gaps }) => gaps) };
  }

  async #keepMarks(isWanted: (workspace: string) => boolean): Promise<void> {
    for (const workspace of this.#counting) {
      if (!isWanted(workspace)) continue;
      await this.#marks.keep(workspace, this.#listening.listened());
      this.#marked.set(workspace, this.#listening.lostMs());
    }
  }

  async #lookAtAll(): Promise<void> {
    this.#heard.clear();
    this.#counting.clear();
    for (const { name: workspace } of this.#parts.store.catalog.workspaces()) {
      for (const rules of this.#parts.alerts.rules.ofWorkspace(workspace).topics.values()) {
        const waiting = new Map(waitingRules(rules));
        if (waiting.size > 0) await this.#lookAtTopic(workspace, rules, waiting);
      }
    }
  }

  async #lookAtTopic(
    workspace: string,
    rules: TopicRules & { readonly topic: string },
    waiting: ReadonlyMap<string, StoredRule>,
  ): Promise<void> {
    const { topic } = rules;
    const underWay: Promise<void>[] = [];
    const failures: unknown[] = [];
    const settle = async (): Promise<void> => {
      await Promise.all(underWay.splice(0));
      if (failures.length > 0) throw failures[0];
    };
    let seen = 0;
    for (const { id } of this.#parts.store.catalog.eachDocument(workspace, 'alertState', topic)) {
      if (++seen % statesAtOnce === 0) await nextTurn();
      const { rule: ruleName, streamId } = namedByStateId(id);
      const rule = waiting.get(ruleName);
      if (rule === undefined) continue;
      const name = { workspace, topic, rule: ruleName, streamId };
      const state = this.#parts.alerts.states.get(name);
      if (state?.made !== rule.made) continue;
      const overdue = this.#overdueOf(workspace, state, Number(rule.rule.noDataForNs! / 1_000_000n));
      if (overdue === undefined) {
        if (state.firing === Firing.No) this.#counting.add(workspace);
        continue;
      }
      if (!hasCome(this.#lookAgain.get(state) ?? 0, this.#parts.now(), longestPauseMs)) continue;
      underWay.push(
        this.#fire(rules, name, state, overdue).catch((error: unknown) => void failures.push(error)),
      );
      if (underWay.length === streamsAtOnce) await settle();
    }
    await settle();
  }

  #overdueOf(workspace: string, state: StoredState, noDataForMs: number): number | undefined {
    const time = this.#parts.now();
    const isLater = state.heardAt > time || this.#firstSeen.has(state);
    if (isLater && !this.#firstSeen.has(state)) this.#firstSeen.set(state, time);
    if (!isLater) this.#heard.set(workspace, Math.max(state.heardAt, this.#heard.get(workspace) ?? 0));
    // How long the service was down is known after the first look.
    if (this.#isFirst || state.firing !== Firing.No) return undefined;
    return this.#listening.overdue(this.#firstSeen.get(state) ?? state.heardAt, noDataForMs);
  }

  /** @param overdue for how long (ms) it has been silent for too long */
  async #fire(rules: TopicRules, name: StateName, state: StoredState, overdue: number): Promise<void> {
    if (await this.#isAwaited(rules, name)) await this.#parts.committer.commitSilence(name, state);
    else this.#lookAgain.set(state, this.#parts.now() + Math.min(overdue + 1000, longestPauseMs));
  }

  /** Whether the stream is open, and the rule watches it still and can be evaluated. */
  async #isAwaited(rules: TopicRules, { workspace, topic, rule, streamId }: StateName): Promise<boolean> {
    const described = await this.#parts.store.catalog.describe(workspace, topic, streamId, this.#parts.now());
    if (described === undefined || ended.has(described.stream.status)) return false;
    return rules.of(streamId, () => described.stream).rules.some((one) => one.rule.name === rule);
  }
}

/**
 * Whether a time (ms) has come that was put off by `pauseMs` at most. One that is further away was set by a clock that has been
 * set back since: nothing waits for it.
 */
function hasCome(time: number, now: number, pauseMs: number): boolean {
  return time <= now || time > now + pauseMs;
}

function* waitingRules({ all }: TopicRules): Generator<[string, StoredRule]> {
  for (const rule of all) if (rule.rule.noDataForNs !== undefined) yield [rule.rule.name, rule];
}
