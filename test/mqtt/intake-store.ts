import { Kind } from '../../src/domain/parameter-data.ts';
import { createByteBudget } from '../../src/ingest/byte-budget.ts';
import { BatchCommitter } from '../../src/ingest/commit.ts';
import { Writer } from '../../src/ingest/writer.ts';
import { createMetrics } from '../../src/metrics.ts';
import { type Incoming, Intake, type IntakeSender } from '../../src/mqtt/intake.ts';
import { Repeats } from '../../src/mqtt/repeats.ts';
import { planQuery, type ReadPlan } from '../../src/query/plan/plan.ts';
import type { EmbeddedStore } from '../../src/store/embedded/store.ts';
import { SparkplugNodes } from '../../src/wire/mqtt/sparkplug-nodes.ts';
import { defaultPayloadLimits as limits } from '../payload-limits.ts';
import { readRows } from '../store/embedded/read-rows.ts';
import { intakeRules } from './intake-rules.ts';

/** An intake that writes to a store, what it counts by reason, and what it tells of topics and of doubts. */
export function intakeOf(store: EmbeddedStore, now: () => number) {
  const counted = new Map<string, number>();
  const told: [topic: string, reason: string][] = [];
  const doubts: string[] = [];
  const count = (reason: string, more: number): void =>
    void counted.set(reason, (counted.get(reason) ?? 0) + more);
  const live = { capture: () => undefined, publish() {}, missed() {}, ended() {} };
  const intake = new Intake({
    series: new Writer(
      store,
      limits,
      createMetrics(),
      { now, wall: now, aheadMs: 60_000 },
      new BatchCommitter(store, live),
    ).series,
    rules: intakeRules(),
    nodes: new SparkplugNodes(),
    repeats: new Repeats(store, now, () => undefined),
    budget: createByteBudget(1 << 28),
    door: {
      took({ warning }, leftOut = new Map()) {
        if (warning !== undefined) doubts.push(warning);
        for (const [reason, more] of leftOut) count(reason, more);
      },
      at: () => undefined,
      refused: (reason, more = 1) => count(reason, more),
    },
    tagProperties: [],
    onRefused: (topic, reason) => told.push([topic, reason]),
    onLater: () => undefined,
  });
  return { intake, counted, told, doubts };
}

export const never = new AbortController().signal;

/** A connection of a client. */
export function senderOf(clientId: string, connectedAt: bigint, goodbyeAt?: bigint): IntakeSender {
  return {
    workspace: 'default',
    tokenId: 't',
    clientId,
    connectedAt,
    candidatesFrom: goodbyeAt,
    numbered: 0,
    rebirth: () => undefined,
  };
}

export function messageOf(topic: string, payload: string, more: Partial<Incoming> = {}): Incoming {
  const usual = { packetId: 7, dup: false, arrivedAt: 5n, numberedBefore: 0, isOld: false };
  return { topic, payload: Buffer.from(payload), ...usual, ...more };
}

/** The rows of a numeric parameter. */
export async function valuesOf(store: EmbeddedStore, topic: string, streamId: string, name: string) {
  const parameters = [{ kind: Kind.Numeric, name, aggregation: 'None' as const }];
  const plan = planQuery('default', { topic, streamIds: [streamId], parameters }) as ReadPlan;
  return (await readRows(store, plan)).map(({ timestamp, cells }) => [timestamp, cells[0]] as const);
}
