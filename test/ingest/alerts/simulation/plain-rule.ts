import { minTimestamp } from '../../../../src/domain/timestamp.ts';
import {
  type Definitions,
  looksAlong,
  operandsOf,
  type PlainRow,
  textsOf,
  usesOver,
  valuesOf,
} from './plain-expressions.ts';

/** A rule as it is asked for; times of `for` in nanoseconds, of `noDataFor` in milliseconds. */
export interface PlainRule {
  readonly expression: string;
  readonly clear?: string;
  readonly forNs: bigint;
  readonly noDataForMs?: number;
  readonly streams?: PlainFilter;
  readonly level?: string;
  readonly text?: string;
  readonly webhook?: string;
}

export interface PlainFilter {
  readonly streamIds?: readonly string[];
  readonly location?: string;
  readonly metadata?: readonly { readonly key?: string; readonly value?: string }[];
  readonly name?: string;
  readonly parentStreamId?: string;
  readonly search?: string;
}

/** What a rule knows of a stream that has given it a row. */
export interface Watch {
  /** The time of the last row that it evaluated; undefined where all were of the future. */
  evaluated: bigint | undefined;
  /** The first of the true rows that follow each other. */
  run: bigint | undefined;
  firing: 'no' | 'rows' | 'silence';
  changedAt: bigint | undefined;
  /** When its last row came, ms. */
  heardAt: number;
  /** The last row of the future, when it came and when an event told of such rows (ms); of an earlier wording of the rule. */
  ahead: { time: bigint; cameAt: number; toldAt: number; isOld: boolean } | undefined;
  /** What functions along rows have seen, by the wording that they had. */
  seen: readonly PlainRow[];
  wording: string;
  /** Messages to its webhook. */
  waiting: number;
  /** When the rule saw last that it does not wait for the stream, ms. */
  passedOverAt?: number;
}

export interface PlainChange {
  readonly state: 'firing' | 'resolved';
  readonly time: bigint;
  /** The parameters of the rule at the rows of that time. */
  readonly values: readonly string[];
}

/** Rows may be so far ahead of the service's clock, ms. */
export const rowsAheadMs = 60_000;

/** It is told so often of rows of the future, ms. */
export const toldEveryMs = 3_600_000;

/** The last time that the clock allows, ns. */
export function lastAllowed(now: number): bigint {
  return BigInt(now + rowsAheadMs) * 1_000_000n;
}

/** All that a rule evaluates, with calculated parameters. */
export function wordsOf({ expression, clear }: PlainRule, definitions: Definitions): string[] {
  return [expression, ...(clear === undefined ? [] : [clear])].flatMap((text) => textsOf(text, definitions));
}

export function canBeEvaluated(rule: PlainRule, definitions: Definitions): boolean {
  return !usesOver(wordsOf(rule, definitions));
}

/**
 * Follows the rows that one write has for a stream, distinct and in order of time.
 * @param before undefined where the stream has given the rule no row
 */
export function follow(
  rule: PlainRule,
  definitions: Definitions,
  before: Watch | undefined,
  rows: readonly PlainRow[],
  now: number,
): { readonly watch: Watch | undefined; readonly changes: PlainChange[]; readonly told?: readonly string[] } {
  const operands = operandsOf(wordsOf(rule, definitions));
  const own = rows.filter(({ values }) => Object.keys(values).some((name) => operands.has(name)));
  const isAhead = ({ time }: PlainRow) => time > lastAllowed(now);
  const after = before?.evaluated ?? minTimestamp - 1n;
  const newer = own.filter((row) => row.time > after && !isAhead(row));
  const followed = followNewer(rule, definitions, before, newer, now);
  const last = own.filter(isAhead).at(-1);
  if (last === undefined) return followed;
  const ofTime = own.filter(({ time }) => time === last.time);
  return hearAhead(followed, ofTime, operands, now, rule.webhook !== undefined);
}

/** Rows of the future came: those of the time that is furthest ahead. */
function hearAhead(
  { watch, changes }: ReturnType<typeof follow>,
  rows: readonly PlainRow[],
  operands: ReadonlySet<string>,
  now: number,
  hasWebhook: boolean,
): ReturnType<typeof follow> {
  const { time } = rows[0]!;
  const ahead = watch?.ahead?.isOld === false ? watch.ahead : undefined;
  const isTold = ahead !== undefined && now - ahead.toldAt < toldEveryMs;
  const next: Watch = {
    ...(watch ?? nothingYet),
    heardAt: now,
    ahead: { time, cameAt: now, toldAt: isTold ? ahead.toldAt : now, isOld: false },
  };
  const texts = rows.map((row) => valuesText(row, operands));
  if (watch?.firing === 'silence') {
    const came = BigInt(now) * 1_000_000n;
    next.firing = 'no';
    next.changedAt = came > watch.changedAt! ? came : watch.changedAt! + 1n;
    if (hasWebhook) next.waiting++;
    changes.push({ state: 'resolved', time: next.changedAt, values: texts });
  }
  const rowTime = new Date(Number(time / 1_000_000n)).toISOString();
  return { watch: next, changes, ...(!isTold && { told: texts.map((text) => `ahead ${rowTime} ${text}`) }) };
}

const nothingYet: Watch = {
  evaluated: undefined,
  run: undefined,
  firing: 'no',
  changedAt: undefined,
  heardAt: 0,
  ahead: undefined,
  seen: [],
  wording: '',
  waiting: 0,
};

function followNewer(
  rule: PlainRule,
  definitions: Definitions,
  before: Watch | undefined,
  newer: readonly PlainRow[],
  now: number,
): { readonly watch: Watch | undefined; readonly changes: PlainChange[] } {
  if (newer.length === 0) return { watch: before, changes: [] };
  const words = wordsOf(rule, definitions);
  const operands = operandsOf(words);
  const isAlong = looksAlong(words);
  const wording = words.join('\n');
  const seen = isAlong && before?.wording === wording ? before.seen : [];
  const all = [...seen, ...newer];
  const ofNewer = (text: string) => valuesOf(text, definitions, all).slice(seen.length);
  const truths = ofNewer(rule.expression);
  const clears = rule.clear === undefined ? undefined : ofNewer(rule.clear);

  let { run, firing, changedAt } = before ?? { run: undefined, firing: 'no', changedAt: undefined };
  let evaluated: bigint | undefined;
  const changes: PlainChange[] = [];
  for (const time of new Set(newer.map((row) => row.time))) {
    const places = [...newer.keys()].filter((row) => newer[row]!.time === time);
    const isTrue = anyTrue(places.map((row) => truths[row]));
    const clear = clears && anyTrue(places.map((row) => clears[row]));
    if (isTrue === undefined && clear === undefined) continue;
    evaluated = time;
    const change = (state: PlainChange['state']) => {
      changedAt = time;
      changes.push({ state, time, values: places.map((row) => valuesText(newer[row]!, operands)) });
    };
    if (firing === 'rows') {
      if (rule.clear === undefined ? isTrue === false : clear === true) {
        firing = 'no';
        run = undefined;
        change('resolved');
      }
      continue;
    }
    if (isTrue === true) run ??= time;
    if (isTrue === false) run = undefined;
    if (isTrue === true && time - run! >= rule.forNs) {
      if (firing === 'no') change('firing');
      firing = 'rows';
    } else if (firing === 'silence') {
      firing = 'no';
      change('resolved');
    }
  }
  if (isAlong) evaluated = newer.at(-1)!.time;
  if (evaluated === undefined) return { watch: before, changes };
  const waiting = before?.waiting ?? 0;
  return {
    watch: {
      evaluated,
      run,
      firing: firing as Watch['firing'],
      changedAt,
      heardAt: now,
      ahead: before?.ahead?.isOld === false ? before.ahead : undefined,
      seen: isAlong ? all : [],
      wording,
      waiting: waiting + (rule.webhook === undefined ? 0 : changes.length),
    },
    changes,
  };
}

/** Undefined where none has a value; anything but 0 is true. */
function anyTrue(values: readonly (number | undefined)[]): boolean | undefined {
  const there = values.filter((value) => value !== undefined);
  return there.length === 0 ? undefined : there.some((value) => value !== 0);
}

function valuesText({ values }: PlainRow, operands: ReadonlySet<string>): string {
  const own = Object.entries(values).filter(([name]) => operands.has(name));
  return sortedJson(own.map(([name, value]) => [name, Number.isFinite(value) ? value : String(value)]));
}

export function sortedJson(entries: readonly (readonly [string, unknown])[]): string {
  return JSON.stringify([...entries].sort(([a], [b]) => (a < b ? -1 : 1)));
}
