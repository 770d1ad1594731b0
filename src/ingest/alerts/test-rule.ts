import type { CompiledRule } from '../../alerts/compiled-rule.ts';
import { type WholeTimes, wholeTimes } from '../../alerts/joined-rows.ts';
import { newStream } from '../../alerts/matching-stream.ts';
import type { OperandRows } from '../../alerts/operand-rows.ts';
import type { RuleState } from '../../alerts/rule-state.ts';
import { Kind } from '../../domain/parameter-data.ts';
import { minTimestamp } from '../../domain/timestamp.ts';
import { PitwallError } from '../../errors.ts';
import type { CountRows } from '../../query/bounds/running-queries.ts';
import { pickRows } from '../../store/calculated/pick-rows.ts';
import { rowsOfStreams } from '../../store/calculated/split-streams.ts';
import type { RowBlock } from '../../store/row-block.ts';
import type { Reader } from '../../store/store.ts';
import { whole } from '../../turns/steps.ts';
import type { AlertEntry, AlertTest } from '../../wire/requests/alert-requests.ts';
import { valuesAt } from './alert-event.ts';
import type { Alerts } from './alerts.ts';
import type { TopicRules } from './topic-rules.ts';

/** The most events in one answer. */
const maxTold = 10_000;

interface RuleName {
  readonly workspace: string;
  readonly topic: string;
  readonly name: string;
}

interface TestParts {
  readonly store: Reader;
  readonly alerts: Alerts;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
}

/** Returns what a rule would have said of rows that are stored, in order of time. */
export async function testRule(
  parts: TestParts,
  { workspace, topic, name }: RuleName,
  { streamIds, from, to }: AlertTest,
  signal: AbortSignal,
  countRows: CountRows,
): Promise<AlertEntry[]> {
  await parts.store.catalog.refresh();
  const ofTopic = parts.alerts.rules.ofTopic(workspace, topic);
  const kept = ofTopic?.all.find((one) => one.rule.name === name);
  if (ofTopic === undefined || kept === undefined) {
    throw new PitwallError('alert_not_found', {
      detail: `there is no alert rule '${name}' in the topic '${topic}'`,
    });
  }
  const rule = ofTopic.compiled(kept);
  if (typeof rule === 'string') throw new PitwallError('bad_expression', { detail: rule });
  const watched = await watchedStreams(parts, { workspace, topic }, ofTopic, rule, streamIds);
  const allowed = parts.alerts.lastAllowed();
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
  for await (const block of parts.store.run(plan, signal, countRows)) {
    for (const { stream, rows } of rowsOfStreams(block)) {
      const own = operandsOf(rule, rows === undefined ? block : pickRows(block, rows));
      follow(stream.streamId, (blocks) => blocks.next(own));
    }
  }
  for (const streamId of followed.keys()) follow(streamId, (blocks) => blocks.end());
  return said.sort((a, b) => (a.timestamp! < b.timestamp! ? -1 : a.timestamp! > b.timestamp! ? 1 : 0));
}

/** Returns those of some streams that a rule watches. */
async function watchedStreams(
  parts: TestParts,
  { workspace, topic }: Pick<RuleName, 'workspace' | 'topic'>,
  rules: TopicRules,
  rule: CompiledRule,
  streamIds: readonly string[],
): Promise<string[]> {
  const found: string[] = [];
  for (const streamId of new Set(streamIds)) {
    const described = rules.asksFor(streamId)
      ? await parts.store.catalog.describe(workspace, topic, streamId, parts.now())
      : undefined;
    const stream = described?.stream ?? newStream(topic, streamId);
    if (rules.of(streamId, () => stream).rules.includes(rule)) found.push(streamId);
  }
  return found;
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
