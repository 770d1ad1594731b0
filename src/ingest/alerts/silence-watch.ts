import { type KeptState, namedByStateId } from '../../alerts/kept-state.ts';
import { silentAt } from '../../alerts/rule-state.ts';
import type { KeptRule } from '../../domain/alert.ts';
import type { Log } from '../../log.ts';
import type { Catalog } from '../../store/store.ts';
import type { Committer } from '../commit.ts';
import type { Alerts } from './alerts.ts';
import type { StateName } from './rule-states.ts';
import type { TopicRules } from './topic-rules.ts';

/** Lets rules with `noDataFor` fire. */
export interface SilenceWatch {
  /** How often to call `tick`. */
  readonly tickMs: number;
  /** Looks whether streams have been silent for too long. Never rejects. */
  tick(): Promise<void>;
  /** Resolves when the look that is under way has ended. */
  settled(): Promise<void>;
}

export interface SilenceWatchOptions {
  readonly catalog: Pick<Catalog, 'keptItems' | 'workspaces' | 'describe'>;
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

export function silenceWatch({ catalog, alerts, commit, now, log }: SilenceWatchOptions): SilenceWatch {
  /** When (ms) to look again whether a stream that was not awaited is. */
  const lookAgain = new WeakMap<KeptState, number>();
  let looking: Promise<void> | undefined;
  let isFailing = false;

  async function look(): Promise<void> {
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
      if (++seen % statesAtOnce === 0) await new Promise((resolve) => setImmediate(resolve));
      const { rule: ruleName, streamId } = namedByStateId(id);
      const rule = waiting.get(ruleName);
      if (rule === undefined) continue;
      const name = { workspace, topic, rule: ruleName, streamId };
      const state = alerts.states.get(name);
      const at =
        state?.made === rule.made ? silentAt(state, Number(rule.rule.noDataForNs! / 1_000_000n)) : undefined;
      if (at === undefined || at > now() || (lookAgain.get(state!) ?? at) > now()) continue;
      underWay.push(fire(rules, name, state!, at).catch((error: unknown) => void failures.push(error)));
      if (underWay.length === streamsAtOnce) await settle();
    }
    await settle();
  }

  /** @param at when (ms) it had been silent for too long */
  async function fire(rules: TopicRules, name: StateName, state: KeptState, at: number): Promise<void> {
    if (await isAwaited(rules, name)) await commit(name, state);
    else lookAgain.set(state, now() + Math.min(now() - at + 1000, longestPauseMs));
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
    tickMs: 1000,
    tick() {
      looking ??= look()
        .then(
          () => {
            isFailing = false;
          },
          (error: unknown) => {
            // What was not written is tried again with the next tick.
            if (!isFailing) log.error({ err: error }, 'streams that rules wait for cannot be looked at');
            isFailing = true;
          },
        )
        .finally(() => {
          looking = undefined;
        });
      return looking;
    },
    async settled() {
      await looking;
    },
  };
}

function* waitingRules({ all }: TopicRules): Generator<[string, KeptRule]> {
  for (const rule of all) if (rule.rule.noDataForNs !== undefined) yield [rule.rule.name, rule];
}
