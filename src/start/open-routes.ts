import { fileURLToPath } from 'node:url';
import type { WebhookHosts } from '../alerts/webhook-hosts.ts';
import { createContentsAdmin } from '../auth/contents-admin.ts';
import { createShareAdmin } from '../auth/share-admin.ts';
import { createTokenAdmin, type TokenAdmin } from '../auth/token-admin.ts';
import type { Config } from '../config.ts';
import { inOrder } from '../http/in-order.ts';
import type { Route } from '../http/route.ts';
import { type RouteParts, routeTable } from '../http/route-table.ts';
import { createAlertAdmin } from '../ingest/alerts/alert-admin.ts';
import { createAlertQueries } from '../ingest/alerts/alert-queries.ts';
import type { Alerts } from '../ingest/alerts/alerts.ts';
import { createCalculatedKeeper } from '../ingest/calculated-keeper.ts';
import type { WebhookSender } from '../ingest/webhooks/sender.ts';
import type { Replicas } from '../replicas/replicas.ts';
import { workspaceTurns } from '../views/turns.ts';
import { createViews } from '../views/views.ts';
import { KnownAttributes } from '../wire/otlp/known-attributes.ts';
import { KnownSeries } from '../wire/series/known-series.ts';
import { createWorkspaces } from '../workspaces/manage.ts';

type Given =
  | 'store'
  | 'link'
  | 'replicas'
  | 'writer'
  | 'doors'
  | 'metrics'
  | 'running'
  | 'log'
  | 'now'
  | 'judgedAt'
  | 'isStopping';

export interface OpenRoutesOptions extends Omit<Pick<RouteParts, Given>, 'replicas'> {
  readonly replicas: Replicas | undefined;
  readonly alerts: Alerts;
  readonly webhooks: WebhookSender;
  readonly webhookTargets: WebhookHosts;
}

/** The routes of the service, with what administers it behind them. */
export function openRoutes(
  config: Config,
  { alerts, webhooks, webhookTargets, ...given }: OpenRoutesOptions,
): { readonly routes: readonly Route[]; readonly tokens: TokenAdmin } {
  const { store, now } = given;
  const tokens = createTokenAdmin(store, now);
  const turns = workspaceTurns();
  const views = createViews(store, turns, now);
  const routes = routeTable({
    ...given,
    tokens,
    views,
    shares: createShareAdmin({ store, views, turns, operatorToken: config.token, now }),
    calculated: createCalculatedKeeper(store),
    alerts: createAlertAdmin({ store, states: alerts.states, now, hosts: webhookTargets }),
    alertQueries: createAlertQueries(store, alerts, webhooks, now),
    workspaces: createWorkspaces(store, now),
    contents: createContentsAdmin(store, turns),
    slowQueryMs: config.slowQuery,
    metricsOpen: config.metricsOpen,
    maxResultBytes: config.maxResultBytes,
    maxQueryMs: config.maxQueryTime,
    line: { streamTags: config.lineStreamTags, topic: config.lineTopic },
    prometheus: { streamLabels: config.prometheusStream, limits: config, known: new KnownSeries() },
    otlp: {
      topic: config.otlpTopic,
      stream: config.otlpStream,
      limits: config,
      known: new KnownAttributes(),
    },
    collectd: { topic: config.collectdTopic, limits: config },
    explorerFolder: fileURLToPath(new URL('../web', import.meta.url)),
  });
  const { replicas } = given;
  return {
    routes: replicas === undefined ? routes : routes.map((route) => inOrder(route, replicas)),
    tokens,
  };
}
