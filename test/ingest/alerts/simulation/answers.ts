import { Kind } from '../../../../src/domain/parameter-data.ts';
import { maxTimestamp, minTimestamp } from '../../../../src/domain/timestamp.ts';
import type { EmbeddedStore } from '../../../../src/store/embedded/store.ts';
import type { AlertEntry } from '../../../../src/wire/requests/alert-requests.ts';
import { readRows } from '../../../store/embedded/read-rows.ts';
import type { AlertsService } from '../alerts-service.ts';
import { type Described, definitionsOf, keyOf, type PlainAlerts, propertiesOf } from './plain-alerts.ts';
import { canBeEvaluated, type PlainRule, sortedJson, toldEveryMs } from './plain-rule.ts';
import { parametersOfRows } from './random-rows.ts';
import { ruleNames } from './random-rules.ts';

/** All that can be asked for, as text, in order. */
export interface Answers {
  /** With their statuses and properties. */
  readonly streams: readonly string[];
  readonly rows: readonly string[];
  /** Of rules: each with its value, at the place of stream, rule, time and state. */
  readonly events: ReadonlyMap<string, string>;
  readonly rules: readonly string[];
  readonly calculated: readonly string[];
  /** What fires. */
  readonly alerts: readonly string[];
  /** What is told of rows of the future. */
  readonly ahead: readonly string[];
  /** Rules that could not be evaluated, as far as that was seen. */
  readonly failed: readonly string[];
}

const all = { workspace: 'w', streamIds: undefined, topic: undefined, from: minTimestamp, to: maxTimestamp };
const statuses = ['Open', 'Interrupted', 'Closed', 'Aborted', 'Terminated', 'SoftDeleted'] as const;

export async function answersOf(store: EmbeddedStore, service: AlertsService, now: number): Promise<Answers> {
  const read = (parameters: readonly { readonly kind: Kind; readonly name: string }[]) =>
    readRows(store, { ...all, tagFilters: [], parameters, order: 'Asc', limit: undefined, after: undefined });
  const streams = await store.catalog.streams('w', { includeStatuses: statuses }, now);
  const rows = await read(parametersOfRows.map((name) => ({ kind: Kind.Numeric, name })));
  const events = await read(ruleNames.map((name) => ({ kind: Kind.Event, name: `alert:${name}` })));
  const listed = await service.queries.list('w', {});
  const rules = await Promise.all(
    ['t', 'u'].map(async (topic) =>
      (await service.admin.list('w', topic)).map((rule) => ruleText(keyOf(topic, rule.name), rule)),
    ),
  );
  return {
    streams: streams.map((one) => streamText(keyOf(one.topic, one.streamId), one.status, one)).sort(),
    rows: rows
      .map(({ topic, streamId, timestamp, tags, cells }) => {
        const values = cells.flatMap((cell, i) =>
          cell === null ? [] : [[parametersOfRows[i]!, cell] as const],
        );
        const [[, tag] = ['', '']] = JSON.parse(tags) as [string, string][];
        return rowText(keyOf(topic, streamId), timestamp, tag, values);
      })
      .sort(),
    events: new Map(
      events.flatMap(({ topic, streamId, timestamp, tags, cells }) =>
        cells.flatMap((cell, i): [string, string][] => {
          if (cell === null) return [];
          const [[, state] = ['', '']] = JSON.parse(tags) as [string, string][];
          return [
            [
              `${keyOf(topic, streamId)} ${ruleNames[i]} ${timestamp} ${state}`,
              valueText(Buffer.from(cell as Uint8Array).toString()),
            ],
          ];
        }),
      ),
    ),
    rules: rules.flat().sort(),
    calculated: store.catalog
      .documents('w', 'calculated')
      .map(
        ({ topic, id, body }) =>
          `${keyOf(topic!, id)} ${(JSON.parse(body) as { expression: string }).expression}`,
      )
      .sort(),
    alerts: listed
      .filter(({ state }) => state === 'firing')
      .map(({ topic, name, streamId, ...others }) =>
        alertText(`${keyOf(topic!, streamId!)} ${name}`, others),
      ),
    ahead: listed.filter(isOfAhead).map(({ topic, name, streamId, problem }) => {
      return `${keyOf(topic!, streamId!)} ${name} ${String(problem).replace(/, further.*/, '')}`;
    }),
    failed: listed
      .filter((one) => one.state === 'failed' && !isOfAhead(one))
      .map(({ topic, name }) => keyOf(topic!, name!)),
  };
}

function isOfAhead({ state, problem }: AlertEntry): boolean {
  return state === 'failed' && String(problem).startsWith('rows are left out');
}

/** @param found of an event whose rows have several values, any of these is right */
export function plainAnswers(plain: PlainAlerts, found: Answers, now: number): Answers {
  const streams = [...plain.streams];
  const shown = streams.filter(([, { isDeleted }]) => !isDeleted);
  const rules = [...plain.rules].map(([key, { rule, watches }]) => {
    const [topic, name] = key.split('\n') as [string, string];
    return { key, topic, name, rule, watches };
  });
  return {
    streams: streams
      .map(([key, { streamId, status, isDeleted, properties }]) =>
        streamText(key, isDeleted ? 'SoftDeleted' : status, propertiesOf(streamId, properties)),
      )
      .sort(),
    rows: shown
      .flatMap(([key, { rows }]) =>
        [...rows.values()].map(({ time, tag, values }) =>
          rowText(
            key,
            time,
            tag,
            parametersOfRows.flatMap((name) => (name in values ? [[name, values[name]!] as const] : [])),
          ),
        ),
      )
      .sort(),
    events: new Map(
      shown.flatMap(([key, { events }]) =>
        [...events].map(([event, values]): [string, string] => {
          const place = `${key} ${event}`;
          return [place, values.find((value) => value === found.events.get(place)) ?? values[0]!];
        }),
      ),
    ),
    rules: rules.map(({ key, rule }) => ruleText(key, rule)).sort(),
    calculated: [...plain.calculated]
      .flatMap(([topic, own]) => [...own].map(([id, expression]) => `${keyOf(topic, id)} ${expression}`))
      .sort(),
    alerts: rules
      .sort((a, b) => compare(a.topic, b.topic) || compare(a.name, b.name))
      .flatMap(({ topic, name, rule, watches }) =>
        [...watches]
          .sort(([a], [b]) => compare(a, b))
          .flatMap(([streamId, { firing, changedAt, waiting }]) => {
            const key = keyOf(topic, streamId);
            const line = found.alerts.find((one) => one.startsWith(`${key} ${name} `));
            if (firing === 'no' || plain.streams.get(key)?.isDeleted !== false) return [];
            return alertText(`${key} ${name}`, {
              state: 'firing',
              timestamp: changedAt,
              ...(firing === 'silence' && { noData: true }),
              ...(rule.level !== undefined && { level: rule.level }),
              ...(rule.text !== undefined && { text: rule.text }),
              ...(rule.webhook !== undefined && {
                webhook: { waiting: plain.removed.has(key) ? mostOf(waiting, line) : waiting },
              }),
            });
          }),
      ),
    ahead: rules
      .flatMap(({ topic, name, watches }) =>
        [...watches].flatMap(([streamId, { ahead }]) => {
          const key = keyOf(topic, streamId);
          if (ahead === undefined || ahead.isOld || now - ahead.cameAt >= toldEveryMs) return [];
          if (plain.streams.get(key)?.isDeleted !== false) return [];
          const isoOf = (ms: number) => new Date(ms).toISOString();
          const time = isoOf(Number(ahead.time / 1_000_000n));
          return {
            topic,
            name,
            streamId,
            text: `${key} ${name} rows are left out: one of ${time} came at ${isoOf(ahead.cameAt)}`,
          };
        }),
      )
      .sort((a, b) => compare(a.topic, b.topic) || compare(a.name, b.name) || compare(a.streamId, b.streamId))
      .map(({ text }) => text),
    failed: found.failed.filter((key) => {
      const failing = rules.find((one) => one.key === key);
      return failing !== undefined && !canBeEvaluated(failing.rule, definitionsOf(plain, failing.topic));
    }),
  };
}

/** Lines that only one of them has. */
export function differences(found: Answers, expected: Answers): string[] {
  const [own, others] = [linesOf(found), linesOf(expected)];
  const without = (lines: readonly string[], left: readonly string[]) =>
    lines.filter((line) => !left.includes(line));
  return [
    ...without(own, others).map((line) => `the service:   ${line}`),
    ...without(others, own).map((line) => `the reference: ${line}`),
  ];
}

function linesOf({ events, ...lists }: Answers): string[] {
  const all = { ...lists, events: [...events].map(([place, value]) => `${place} ${value}`) };
  return Object.entries(all).flatMap(([name, lines]) =>
    lines.map((line) => `${name}: ${line.replace('\n', '/')}`),
  );
}

/** Messages of a stream before it, which a kill left, wait until the sender looks at them. */
function mostOf(waiting: number, line = ''): number {
  return Math.max(waiting, Number(/"waiting":(\d+)/.exec(line)?.[1] ?? 0));
}

function streamText(key: string, status: string, { name, location, metadata, parents }: Described): string {
  return `${key} ${status} ${JSON.stringify([name, location, metadata, parents])}`;
}

function ruleText(
  key: string,
  {
    expression,
    clear,
    forNs,
    level,
    text,
  }: Pick<PlainRule, 'expression' | 'clear' | 'forNs' | 'level' | 'text'>,
): string {
  return `${key} ${JSON.stringify([expression, clear, String(forNs), level, text])}`;
}

function rowText(
  key: string,
  time: bigint,
  tag: string,
  values: readonly (readonly [string, unknown])[],
): string {
  return `${key} ${time} ${tag} ${values.map(([name, value]) => `${name}=${value}`)}`;
}

function alertText(key: string, others: object): string {
  return `${key} ${sortedJson(Object.entries(others).map(([name, value]) => [name, typeof value === 'bigint' ? String(value) : value]))}`;
}

function valueText(value: string): string {
  const { values, rowTime } = JSON.parse(value) as { values?: Record<string, unknown>; rowTime?: string };
  if (values === undefined) return 'noData';
  return `${rowTime === undefined ? 'values' : `ahead ${rowTime}`} ${sortedJson(Object.entries(values))}`;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
