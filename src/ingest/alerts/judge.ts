import type { CompiledRule } from '../../alerts/compiled-rule.ts';
import { type ChosenBy, newStream } from '../../alerts/matching-stream.ts';
import { type OperandRows, operandRows } from '../../alerts/operand-rows.ts';
import {
  afterAhead,
  believed,
  isToTell,
  type LeftOut,
  leftOut,
  nanoseconds,
  type SplitRows,
  splitAhead,
} from '../../alerts/rows-ahead.ts';
import { Firing, type RuleChange, type RuleState } from '../../alerts/rule-state.ts';
import { type StoredState, storedState } from '../../alerts/stored-state.ts';
import type { StoredRule } from '../../domain/alert.ts';
import type { EventRow } from '../../domain/event-data.ts';
import type { Rows } from '../../domain/parameter-data.ts';
import { foldTopic } from '../../domain/topic.ts';
import { PitwallError } from '../../errors.ts';
import type { Change } from '../../store/store.ts';
import type { Steps } from '../../turns/steps.ts';
import { aheadEvent, alertEvent, valuesAt } from './alert-event.ts';
import type { MoreStates, RuleStates, StateName } from './rule-states.ts';
import type { AlertRules, TopicRules } from './topic-rules.ts';

/** What rules say of a write. */
export interface Judgement {
  readonly streams: readonly StreamJudgement[];
  /** States of streams that were removed for good and come into being again: they begin anew. */
  readonly stale: readonly StateName[];
}

export interface StreamJudgement {
  readonly topic: string;
  readonly streamId: string;
  /** Whether it comes into being. */
  readonly isNew: boolean;
  readonly events: readonly EventRow[];
  /** Rules that fire here for the first time since they were worded so: their events get a definition. */
  readonly untold: readonly StoredRule[];
  readonly states: readonly NewState[];
  /** Rows that rules left out because they are too far ahead of the clock; of each rule that does. */
  readonly ahead: number;
}

export interface NewState {
  readonly name: StateName;
  readonly rule: StoredRule;
  /** What was known when it was made. */
  readonly before: StoredState | undefined;
  readonly state: StoredState;
  /** What the rule says, its changes: they are among the events of the stream. */
  readonly events: readonly EventRow[];
}

export interface JudgeOptions {
  readonly rules: AlertRules;
  readonly states: RuleStates;
  /** Whether a write that is placed now makes the stream. */
  readonly isNew: (workspace: string, topic: string, streamId: string) => boolean;
  /** What is known of a stream that a rule asks for; undefined where it is not there yet. */
  readonly describe: (workspace: string, topic: string, streamId: string) => ChosenBy | undefined;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** How far (ms) rows may be ahead of it. */
  readonly aheadMs: number;
  /** A rule could not be evaluated. */
  readonly onProblem: (name: StateName, rule: StoredRule, problem: string) => void;
}

/**
 * The most changes of a rule in one write; one that changes more often is not evaluated: a few bytes of rows must
 * not become many of events.
 */
export const maxChanges = 4096;

/** Rows of one stream in a batch. */
interface Written {
  readonly topic: string;
  readonly streamId: string;
  readonly rules: TopicRules;
  readonly rows: Rows[];
}

interface Known extends Pick<JudgeOptions, 'rules' | 'isNew'> {
  readonly states: Pick<RuleStates, 'get'>;
}

/** Whether any rule may watch what a batch writes, or knows a stream that comes into being again. */
export function isWatched(known: Known, workspace: string, changes: readonly Change[]): boolean {
  const { topics } = known.rules.ofWorkspace(workspace);
  return changes.some(
    (change) =>
      (change.type === 'rows' && topics.get(foldTopic(change.topic))?.mayWatch(change.streamId) === true) ||
      staleStates(known, workspace, change).length > 0,
  );
}

/** What rules know of a stream that the change makes. */
function staleStates({ rules, states, isNew }: Known, workspace: string, change: Change): StateName[] {
  if (!makesStream(change)) return [];
  const { topic, streamId } = change;
  const all = rules.ofTopic(workspace, topic)?.all ?? [];
  if (all.length === 0 || !isNew(workspace, topic, streamId)) return [];
  return all
    .map(({ rule }) => ({ workspace, topic, rule: rule.name, streamId }))
    .filter((name) => states.get(name) !== undefined);
}

function makesStream(change: Change): change is Extract<Change, { readonly streamId: string }> {
  return 'streamId' in change && change.type !== 'close' && !('quiet' in change && change.quiet === true);
}

/** Changes of a step. */
const stepChanges = 128;

/** What the rules of a workspace say of a batch; undefined where nothing changes, not even a state. In steps. */
export function* judge(
  options: JudgeOptions,
  workspace: string,
  changes: readonly Change[],
): Steps<Judgement | undefined> {
  const { rules, states, isNew, describe, now, aheadMs, onProblem } = options;
  const judged: StreamJudgement[] = [];
  const stale: StateName[] = [];
  const time = now();
  const clock: Clock = { now: time, limit: nanoseconds(time + aheadMs) };
  const more: MoreStates = { states: 0, bytes: 0 };
  let left = maxChanges;
  let seen = 0;
  for (const change of changes) {
    if (++seen % stepChanges === 0) yield;
    for (const name of staleStates(options, workspace, change)) stale.push(name);
  }
  for (const { topic, streamId, rules: ofTopic, rows } of writtenStreams(rules, workspace, changes)) {
    if (++seen % stepChanges === 0) yield;
    const isMade = isNew(workspace, topic, streamId);
    const watching = ofTopic.of(streamId, () => {
      // One that is removed for good may still be there.
      return (isMade ? undefined : describe(workspace, topic, streamId)) ?? newStream(topic, streamId);
    });
    if (watching.rules.length === 0) continue;
    const read = yield* operandRows(rows, watching.operands);
    if (read.length === 0) continue;
    const split = splitAhead(read, clock.limit);
    const found = {
      events: [] as EventRow[],
      untold: [] as CompiledRule[],
      states: [] as NewState[],
      ahead: 0,
    };
    for (const [i, rule] of watching.rules.entries()) {
      if (i % 16 === 15) yield;
      const written = yield* ofRule(rule, split);
      if (written === undefined) continue;
      const name = { workspace, topic, rule: rule.rule.name, streamId };
      const known = states.get(name);
      const before = isMade ? undefined : known;
      const noRoom = before === undefined ? states.noRoom(workspace, rule.looksBack, more) : undefined;
      const followed = noRoom ?? (yield* follow(rule, before, written, clock, left));
      if (typeof followed === 'string') {
        onProblem(name, rule, followed);
        continue;
      }
      if (followed === undefined) continue;
      const growth = growthOf(followed.state, before);
      const noGrowth = growth > 0 ? states.noGrowth(workspace, more) : undefined;
      if (noGrowth !== undefined) {
        onProblem(name, rule, noGrowth);
        continue;
      }
      if (before === undefined) more.states++;
      more.bytes += growth;
      left -= followed.events.length;
      if (followed.isUntold) found.untold.push(rule);
      for (const event of followed.events) found.events.push(event);
      if (followed.told !== undefined) found.events.push(followed.told);
      found.ahead += written.ahead?.count ?? 0;
      found.states.push({ name, rule, before: known, state: followed.state, events: followed.events });
    }
    if (found.states.length > 0) judged.push({ topic, streamId, isNew: isMade, ...found });
  }
  return judged.length + stale.length === 0 ? undefined : { streams: judged, stale };
}

/** Bytes by which what a rule remembers of rows is larger than before. */
function growthOf({ memory }: StoredState, before: StoredState | undefined): number {
  return memory === undefined ? 0 : memory.length - (before?.memory?.length ?? 0);
}

/** Streams of topics with rules. */
function writtenStreams(rules: AlertRules, workspace: string, changes: readonly Change[]): Iterable<Written> {
  if (changes.length === 1) {
    const [only] = changes;
    const found = writtenOf(rules, workspace, only!);
    return found === undefined ? [] : [found];
  }
  const streams = new Map<string, Written>();
  for (const change of changes) {
    const found = writtenOf(rules, workspace, change);
    if (found === undefined) continue;
    const key = `${foldTopic(found.topic)}\n${found.streamId}`;
    const same = streams.get(key);
    if (same === undefined) streams.set(key, { ...found, rows: [...found.rows] });
    else for (const rows of found.rows) same.rows.push(rows);
  }
  return streams.values();
}

function writtenOf(rules: AlertRules, workspace: string, change: Change): Written | undefined {
  if (change.type !== 'rows' || change.rows.length === 0) return undefined;
  const ofTopic = rules.ofTopic(workspace, change.topic);
  const { topic, streamId } = change;
  return ofTopic && { topic, streamId, rules: ofTopic, rows: change.rows as Rows[] };
}

/** The service's clock at a write. */
interface Clock {
  readonly now: number;
  readonly limit: bigint;
}

/** Rows of a write that have a parameter of a rule. */
interface OwnRows {
  readonly within: readonly OperandRows[];
  readonly ahead: LeftOut | undefined;
}

/** Undefined where there are none. */
function* ofRule({ operands }: CompiledRule, { within, ahead }: SplitRows): Steps<OwnRows | undefined> {
  const own = within.filter(({ columns }) => operands.some((operand) => columns.has(operand)));
  const out = ahead.length === 0 ? undefined : yield* leftOut(ahead, operands);
  return own.length === 0 && out === undefined ? undefined : { within: own, ahead: out };
}

interface Followed {
  readonly state: StoredState;
  /** Changes. */
  readonly events: readonly EventRow[];
  /** That rows were left out. */
  readonly told: EventRow | undefined;
  readonly isUntold: boolean;
}

/** A rule that would have to remember too much never fails a write: then this is why. */
function* orTooLarge<Result>(steps: Steps<Result>): Steps<Result | string> {
  try {
    return yield* steps;
  } catch (error) {
    if (error instanceof PitwallError && error.code === 'query_too_large')
      return `${error.message}: not evaluated`;
    throw error;
  }
}

/** Why it could not be evaluated, where it could not. */
function* follow(
  rule: CompiledRule,
  kept: StoredState | undefined,
  { within, ahead }: OwnRows,
  { now, limit }: Clock,
  left: number,
): Steps<Followed | string | undefined> {
  const { made, revision } = rule;
  const own = kept?.made === made ? kept : undefined;
  const before = own && believed(own.revision === revision ? own : worded(own), limit);
  const events: EventRow[] = [];
  let state: RuleState | undefined = before;
  let isOver = false;
  const onChangeAt = (rows: OperandRows) => (change: RuleChange) => {
    if (events.length >= left) isOver = true;
    else events.push(alertEvent(rule, change.state, change.time, valuesAt(rule, rows, change.row)));
  };
  for (const rows of within) {
    const steps = rule.follow(state, rows, now, onChangeAt(rows));
    const followed = yield* rule.looksBack ? orTooLarge(steps) : steps;
    if (isOver)
      return `it changed too often in one write, which may make ${maxChanges} changes: not evaluated`;
    if (typeof followed === 'string') return followed;
    state = followed;
  }
  if (ahead !== undefined) state = afterAhead(state, ahead, now, onChangeAt(ahead.rows));
  if (state === undefined || state === before) return undefined;
  if (ahead === undefined && state.evaluated === before?.evaluated) return undefined;
  const told = ahead !== undefined && isToTell(before?.ahead, now) ? aheadEvent(rule, ahead, now) : undefined;
  const wasTold = own?.revision === revision && own.told;
  const isUntold = !wasTold && (events.length > 0 || told !== undefined || state.firing === Firing.Rows);
  return { state: storedState(state, { made, revision, told: wasTold || isUntold }), events, told, isUntold };
}

/** The state for a new wording of the rule: a run of true rows counts for one; what fires goes on. */
export function worded(state: StoredState): StoredState {
  return { ...state, since: undefined, memory: undefined, ahead: undefined };
}
