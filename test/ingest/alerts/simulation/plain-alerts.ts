import type { PlainRow } from './plain-expressions.ts';
import {
  canBeEvaluated,
  follow,
  type PlainFilter,
  type PlainRule,
  sortedJson,
  type Watch,
} from './plain-rule.ts';

export interface Properties {
  readonly name?: string;
  readonly location?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly parents?: readonly string[];
}

export interface PlainStream {
  readonly topic: string;
  readonly streamId: string;
  properties: Properties;
  status: string;
  isDeleted: boolean;
  /** By time and tag. */
  readonly rows: Map<string, PlainRow>;
  /** Events of rules by name, time and state, each with what its value may be. */
  readonly events: Map<string, readonly string[]>;
}

/** All that there is, as data: it can be copied and compared. */
export interface PlainAlerts {
  readonly streams: Map<string, PlainStream>;
  /** By topic and name, with what they know of streams by id. */
  readonly rules: Map<string, { rule: PlainRule; readonly watches: Map<string, Watch> }>;
  /** Streams that were removed for good. */
  readonly removed: Set<string>;
  /** By topic. */
  readonly calculated: Map<string, Map<string, string>>;
}

export function plainAlerts(): PlainAlerts {
  return { streams: new Map(), rules: new Map(), removed: new Set(), calculated: new Map() };
}

/** Topics are the same in any case; the reference has them in lower case. */
export function keyOf(topic: string, name: string): string {
  return `${topic.toLowerCase()}\n${name}`;
}

export function definitionsOf({ calculated }: PlainAlerts, topic: string): Map<string, string> {
  return calculated.get(topic.toLowerCase()) ?? new Map();
}

/** A rule that says the same stays as it is. What is worded anew begins anew, but for what fires. */
export function putRule(plain: PlainAlerts, topic: string, name: string, rule: PlainRule): void {
  const key = keyOf(topic, name);
  const before = plain.rules.get(key);
  plain.rules.set(key, { rule, watches: before?.watches ?? new Map() });
  if (before === undefined || textOf(before.rule) === textOf(rule)) return;
  for (const watch of before.watches.values()) {
    watch.run = undefined;
    watch.seen = [];
    if (watch.ahead !== undefined) watch.ahead.isOld = true;
  }
}

/** The same for fields in another order. */
function textOf({ webhook: _, ...rule }: PlainRule): string {
  return sortedJson(
    Object.entries(rule).map(([field, value]) => [field, typeof value === 'bigint' ? String(value) : value]),
  );
}

export function removeRule(plain: PlainAlerts, topic: string, name: string): void {
  plain.rules.delete(keyOf(topic, name));
}

export function define(plain: PlainAlerts, topic: string, id: string, expression: string | undefined): void {
  const definitions = definitionsOf(plain, topic);
  if (expression === undefined) definitions.delete(id);
  else definitions.set(id, expression);
  plain.calculated.set(topic.toLowerCase(), definitions);
}

/** One request, with rows of streams of one topic as they stand in it. */
export function writeRows(
  plain: PlainAlerts,
  topic: string,
  written: readonly (readonly [streamId: string, rows: readonly PlainRow[]])[],
  now: number,
): void {
  for (const streamId of new Set(written.map(([id]) => id))) {
    const stream = plain.streams.get(keyOf(topic, streamId)) ?? newStream(topic, streamId);
    const rows = joined(written.flatMap(([id, some]) => (id === streamId ? some : [])));
    for (const [name, { rule, watches }] of rulesOf(plain, topic)) {
      const definitions = definitionsOf(plain, topic);
      if (!matches(rule.streams, stream) || !canBeEvaluated(rule, definitions)) continue;
      const { watch, changes, told } = follow(rule, definitions, watches.get(streamId), rows, now);
      if (watch !== undefined) watches.set(streamId, watch);
      for (const { state, time, values } of changes)
        stream.events.set(
          `${name} ${time} ${state}`,
          values.map((one) => `values ${one}`),
        );
      if (told !== undefined) stream.events.set(`${name} ${BigInt(now) * 1_000_000n} ahead`, told);
    }
    for (const row of rows) {
      const key = rowKey(row);
      stream.rows.set(key, { ...row, values: { ...stream.rows.get(key)?.values, ...row.values } });
    }
    open(plain, stream);
  }
}

/** Rows of equal time and tag are one, of values of which the last counts; in order of time. */
function joined(rows: readonly PlainRow[]): PlainRow[] {
  const found = new Map<string, PlainRow>();
  for (const row of rows) {
    const before = found.get(rowKey(row));
    found.set(rowKey(row), { ...row, values: { ...before?.values, ...row.values } });
  }
  return [...found.values()].sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0));
}

function rowKey({ time, tag }: PlainRow): string {
  return `${time} ${tag}`;
}

export function setProperties(plain: PlainAlerts, topic: string, streamId: string, given: Properties): void {
  const stream = plain.streams.get(keyOf(topic, streamId)) ?? newStream(topic, streamId);
  open(plain, stream);
  stream.properties = given;
}

function newStream(topic: string, streamId: string): PlainStream {
  return {
    topic: topic.toLowerCase(),
    streamId,
    properties: {},
    status: 'Open',
    isDeleted: false,
    rows: new Map(),
    events: new Map(),
  };
}

function open(plain: PlainAlerts, stream: PlainStream): void {
  plain.streams.set(keyOf(stream.topic, stream.streamId), stream);
  stream.status = 'Open';
  stream.isDeleted = false;
}

export function close(plain: PlainAlerts, topic: string, streamId: string, status: string): void {
  const stream = plain.streams.get(keyOf(topic, streamId));
  if (stream !== undefined && !stream.isDeleted) stream.status = status;
}

export type Deleting = 'softDelete' | 'hardDelete' | 'restore';

export function changeStream(plain: PlainAlerts, topic: string, streamId: string, action: Deleting): void {
  const key = keyOf(topic, streamId);
  const stream = plain.streams.get(key);
  if (stream === undefined) return;
  if (action === 'hardDelete') {
    plain.streams.delete(key);
    plain.removed.add(key);
    for (const [, { watches }] of rulesOf(plain, topic)) watches.delete(streamId);
    return;
  }
  stream.isDeleted = action === 'softDelete';
}

export function deleteRange(
  plain: PlainAlerts,
  topic: string,
  streamId: string,
  from: bigint,
  to: bigint,
): void {
  const stream = plain.streams.get(keyOf(topic, streamId));
  if (stream === undefined || stream.isDeleted) return;
  for (const [key, { time }] of stream.rows) if (time >= from && time <= to) stream.rows.delete(key);
}

/** The time (ms) in which the service could take rows. */
export interface Listened {
  /** How long since then it may have been, at most. */
  most(since: number): number;
  /** Whether it has surely been so long since then, and clients had time to come back. */
  isSure(since: number, ms: number): boolean;
}

/** Watches of rules that have waited for too long for a row, and whether they wait for that stream at all. */
function* overdue(plain: PlainAlerts, { most }: Listened) {
  for (const stream of plain.streams.values()) {
    const definitions = definitionsOf(plain, stream.topic);
    for (const [name, { rule, watches }] of rulesOf(plain, stream.topic)) {
      const watch = watches.get(stream.streamId);
      if (rule.noDataForMs === undefined || watch === undefined || watch.firing !== 'no') continue;
      if (most(watch.heardAt) < rule.noDataForMs) continue;
      const isWaiting =
        !stream.isDeleted &&
        stream.status === 'Open' &&
        matches(rule.streams, stream) &&
        canBeEvaluated(rule, definitions);
      yield { stream, name, rule, watch, isWaiting };
    }
  }
}

/** Whether it is certain what `tick` does: where a rule did not wait it looks again ten minutes later at most. */
export function isCertain(plain: PlainAlerts, now: number, listened: Listened): boolean {
  return [...overdue(plain, listened)].every(
    ({ rule, watch, isWaiting }) =>
      !isWaiting ||
      (listened.isSure(watch.heardAt, rule.noDataForMs!) &&
        (watch.passedOverAt === undefined || watch.passedOverAt + 600_000 <= now)),
  );
}

/** Rules that wait for rows look at the clock. */
export function tick(plain: PlainAlerts, now: number, listened: Listened): void {
  for (const { stream, name, rule, watch, isWaiting } of overdue(plain, listened)) {
    if (!isWaiting) {
      watch.passedOverAt = now;
      continue;
    }
    const { evaluated, heardAt, ahead } = watch;
    const isAheadLast = evaluated === undefined || ahead?.cameAt === heardAt;
    const times = [isAheadLast ? BigInt(heardAt) * 1_000_000n - 1n : evaluated, evaluated, watch.changedAt];
    watch.firing = 'silence';
    watch.changedAt = times.reduce((a, b) => (a === undefined || (b !== undefined && b > a) ? b : a))! + 1n;
    if (ahead?.isOld === true) watch.ahead = undefined;
    if (rule.webhook !== undefined) watch.waiting++;
    stream.events.set(`${name} ${watch.changedAt} firing`, ['noData']);
  }
}

/** What a rule would have said of the rows that are stored, as `state time`. */
export function tested(
  plain: PlainAlerts,
  topic: string,
  name: string,
  streamId: string,
  from: bigint,
  to: bigint,
  now: number,
): string[] {
  const { rule } = plain.rules.get(keyOf(topic, name))!;
  const stream = plain.streams.get(keyOf(topic, streamId));
  if (stream === undefined || stream.isDeleted || !matches(rule.streams, stream)) return [];
  const rows = joined([...stream.rows.values()]).filter(({ time }) => time >= from && time <= to);
  const { changes } = follow(rule, definitionsOf(plain, topic), undefined, rows, now);
  return changes.map(({ state, time }) => `${state} ${time}`);
}

export function rulesOf({ rules }: PlainAlerts, topic: string) {
  const prefix = keyOf(topic, '');
  return [...rules]
    .filter(([key]) => key.startsWith(prefix))
    .map(([key, one]) => [key.slice(prefix.length), one] as const);
}

export type Described = Required<Properties>;

/** As they are shown. */
export function propertiesOf(
  streamId: string,
  { name = streamId, location = '/', metadata = {}, parents = [] }: Properties,
): Described {
  return { name, location: location.startsWith('/') ? location : `/${location}`, metadata, parents };
}

/** As `/streams` chooses. */
function matches(filter: PlainFilter = {}, { topic, streamId, properties }: PlainStream): boolean {
  const { name, location: place, metadata, parents } = propertiesOf(streamId, properties);
  const hasCapital = /[A-Z]/.test(filter.name ?? '');
  const texts = [streamId, name, topic, place, ...Object.entries(metadata).flat()].map((text) =>
    text.toLowerCase(),
  );
  return (
    (!filter.streamIds?.length || filter.streamIds.includes(streamId)) &&
    `${place}/`.startsWith(filter.location ?? '') &&
    (filter.metadata ?? []).every(({ key, value }) =>
      Object.entries(metadata).some(
        ([k, v]) => (key === undefined || k === key) && (value === undefined || v === value),
      ),
    ) &&
    (hasCapital ? name : name.toLowerCase()).includes(filter.name ?? '') &&
    (filter.parentStreamId === undefined || parents.includes(filter.parentStreamId)) &&
    (filter.search ?? '')
      .toLowerCase()
      .split(' ')
      .every((word) => texts.some((text) => text.includes(word)))
  );
}
