import { webhookHosts } from '../../../src/alerts/webhook-hosts.ts';
import { Kind } from '../../../src/domain/parameter-data.ts';
import { maxTimestamp, minTimestamp } from '../../../src/domain/timestamp.ts';
import { createAlertAdmin } from '../../../src/ingest/alerts/alert-admin.ts';
import { createAlertQueries } from '../../../src/ingest/alerts/alert-queries.ts';
import { createAlerts } from '../../../src/ingest/alerts/alerts.ts';
import { silenceWatch } from '../../../src/ingest/alerts/silence-watch.ts';
import { BatchCommitter, type Live } from '../../../src/ingest/commit.ts';
import type { WebhookSender } from '../../../src/ingest/webhooks/sender.ts';
import type { Written } from '../../../src/ingest/write-call.ts';
import { Writer } from '../../../src/ingest/writer.ts';
import type { LivePackage } from '../../../src/live/broker.ts';
import { createMetrics } from '../../../src/metrics.ts';
import { allowedHosts } from '../../../src/setting-values.ts';
import type { Store } from '../../../src/store/store.ts';
import { defaultPayloadLimits } from '../../payload-limits.ts';

export interface AlertsService {
  readonly writer: Writer;
  readonly admin: ReturnType<typeof createAlertAdmin>;
  readonly queries: ReturnType<typeof createAlertQueries>;
  readonly silence: ReturnType<typeof silenceWatch>;
  /** What live readers were told. */
  readonly published: readonly LivePackage[];
  /** Rows that rules have left out. */
  ahead(): number;
  put(name: string, rule: object, topic?: string): Promise<unknown>;
  write(streamId: string, payload: object, topic?: string): Promise<Written>;
  /** The events of a rule and a stream, as `state time`. */
  events(name: string, streamId: string): Promise<string[]>;
}

/** All that a service has between HTTP and a store, but for memory limits. */
/** @param allow the value of `--webhook-allow` */
export function alertsService(
  store: Store,
  now: () => number,
  allow = '',
  webhooks: Pick<WebhookSender, 'problemOf'> = { problemOf: () => undefined },
): AlertsService {
  let ahead = 0;
  const published: LivePackage[] = [];
  const live: Live = {
    capture: (_workspace, _topic, _streamId, content) => content,
    publish: (written) => published.push(written),
    missed: () => undefined,
    ended: () => undefined,
  };
  const clock = { now, wall: now, aheadMs: 60_000 };
  const alerts = createAlerts(store.catalog, {
    ...clock,
    onAhead: (rows) => {
      ahead += rows;
    },
  });
  const committer = new BatchCommitter(store, live, alerts);
  const writer = new Writer(store, defaultPayloadLimits, createMetrics(), clock, committer);
  const hosts = webhookHosts(allowedHosts(allow));
  const admin = createAlertAdmin({ store, states: alerts.states, now, hosts });
  const log = {
    error(...told: unknown[]) {
      throw new Error(String(told[1]));
    },
  };
  return {
    writer,
    admin,
    queries: createAlertQueries(store, alerts, webhooks, now),
    silence: silenceWatch({ store, alerts, committer, now, log: log as never }),
    published,
    ahead: () => ahead,
    put: (name, rule, topic = 't') => admin.put('w', topic, name, json(rule)),
    write: (streamId, payload, topic = 't') =>
      writer.parameterData({ workspace: 'w', topic, streamId }, json(payload)),
    async events(name, streamId) {
      const plan = {
        workspace: 'w',
        streamIds: [streamId],
        topic: 't',
        from: minTimestamp,
        to: maxTimestamp,
        tagFilters: [],
        parameters: [{ kind: Kind.Event, name: `alert:${name}` }],
        order: 'Asc' as const,
        limit: undefined,
        after: undefined,
      };
      const found: string[] = [];
      for await (const block of store.run(plan, new AbortController().signal)) {
        for (let row = 0; row < block.count; row++) {
          const [[, state] = ['', '']] = block.tagSets[block.tagIndex?.[row] ?? 0]!.pairs;
          found.push(`${state} ${block.base + BigInt(block.offsets[row]!)}`);
        }
      }
      return found;
    },
  };
}

function json(value: object): Buffer {
  return Buffer.from(JSON.stringify(value, (_, item) => (typeof item === 'bigint' ? String(item) : item)));
}
