import type { ContentsAdmin } from '../auth/contents-admin.ts';
import type { ShareAdmin } from '../auth/share-admin.ts';
import type { TokenAdmin } from '../auth/token-admin.ts';
import type { AlertAdmin } from '../ingest/alerts/alert-admin.ts';
import type { AlertQueries } from '../ingest/alerts/alert-queries.ts';
import type { CalculatedKeeper } from '../ingest/calculated-keeper.ts';
import type { Doors } from '../ingest/doors.ts';
import { uniqueTime } from '../ingest/unique-time.ts';
import type { Writer } from '../ingest/writer.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import type { RunningQueries } from '../query/bounds/running-queries.ts';
import type { Replicas } from '../replicas/replicas.ts';
import type { Store } from '../store/store.ts';
import type { Views } from '../views/views.ts';
import type { CollectdRules } from '../wire/collectd/values.ts';
import type { OtlpRules } from '../wire/otlp/points.ts';
import type { RemoteRules } from '../wire/series/remote-write.ts';
import type { Workspaces } from '../workspaces/manage.ts';
import type { Route } from './route.ts';
import {
  getAlertRule,
  listAlertRules,
  listAlerts,
  putAlertRule,
  removeAlertRule,
  testAlertRule,
} from './routes/alerts.ts';
import { backupRoute } from './routes/backup.ts';
import { calculatedRoutes } from './routes/calculated.ts';
import { deleteStreams, restoreStreams } from './routes/change-streams.ts';
import { confirmClock, readClock } from './routes/clock.ts';
import { collectd } from './routes/collectd.ts';
import { deleteRows } from './routes/delete-rows.ts';
import { listDoors } from './routes/doors.ts';
import { explorer } from './routes/explorer.ts';
import { healthz, type LinkHealth, metricsRoute, readyz } from './routes/health.ts';
import { type LineSettings, lineProtocol } from './routes/line-protocol.ts';
import { otlpMetrics } from './routes/otlp-metrics.ts';
import { prometheusListings } from './routes/prometheus-listings.ts';
import { prometheusQueries } from './routes/prometheus-query.ts';
import { pushgateway } from './routes/pushgateway.ts';
import { queryEventData } from './routes/query-event-data.ts';
import { queryEvents, queryParameters, queryTopics } from './routes/query-listings.ts';
import { queryParameterData } from './routes/query-parameter-data.ts';
import { queryStreamModels, queryStreams } from './routes/query-streams.ts';
import { queryTagNames, queryTagValues } from './routes/query-tag-values.ts';
import { remoteWrite } from './routes/remote-write.ts';
import { tellReplicas } from './routes/replicas.ts';
import { endRunningQuery, listRunningQueries } from './routes/running-queries.ts';
import { listShares, revokeShare, revokeShares, shareView } from './routes/shares.ts';
import { createToken, listTokens, revokeToken } from './routes/tokens.ts';
import { putTopic } from './routes/topics.ts';
import { deleteView, getView, listViews, putView } from './routes/views.ts';
import { putContents, readContents } from './routes/workspace-contents.ts';
import { createWorkspace, listWorkspaces, putWorkspace, removeWorkspace } from './routes/workspaces.ts';
import { updateEventsRoute, updateParametersRoute } from './routes/write-definitions.ts';
import { writeEventData, writeEventValue } from './routes/write-events.ts';
import { writeParameterData, writeParameterDataBatch } from './routes/write-parameter-data.ts';
import { closeStreamRoute, createStreamRoute, updateStreamRoute } from './routes/write-streams.ts';
import { watchQueries } from './watch-queries.ts';

/** What the routes call. */
export interface RouteParts {
  readonly store: Store;
  /** To the other nodes; undefined where there are none. */
  readonly link: LinkHealth | undefined;
  /** Undefined where the node has none. */
  readonly replicas: Pick<Replicas, 'state'> | undefined;
  readonly writer: Writer;
  readonly doors: Doors;
  readonly calculated: CalculatedKeeper;
  readonly alerts: AlertAdmin;
  readonly alertQueries: AlertQueries;
  readonly tokens: TokenAdmin;
  readonly views: Views;
  readonly shares: ShareAdmin;
  readonly workspaces: Workspaces;
  readonly contents: ContentsAdmin;
  readonly metrics: Metrics;
  readonly running: RunningQueries;
  /** Queries that take longer are logged; undefined logs none. */
  readonly slowQueryMs: number | undefined;
  readonly log: Log;
  readonly metricsOpen: boolean;
  readonly maxResultBytes: number;
  /** Where the explorer was built to. */
  readonly explorerFolder: string;
  readonly line: LineSettings;
  readonly prometheus: RemoteRules;
  readonly otlp: OtlpRules;
  /** How long a query may work. */
  readonly maxQueryMs: number;
  readonly collectd: Omit<CollectdRules, 'now'>;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** The same, by which open streams count as interrupted: of replicas the time of the log. */
  readonly judgedAt: () => number;
  readonly isStopping: () => boolean;
}

/** Every call of the HTTP interface. */
export function routeTable(parts: RouteParts): Route[] {
  const {
    store,
    writer,
    alerts,
    tokens,
    views,
    shares,
    workspaces,
    metrics,
    running,
    maxResultBytes,
    doors,
  } = parts;
  const nextTime = uniqueTime(parts.now);
  const promql = { ...parts, streamLabels: parts.prometheus.streamLabels };
  const queries = [
    queryStreams(store, parts.judgedAt),
    queryStreamModels(store, parts.judgedAt),
    queryParameters(store, parts.judgedAt, maxResultBytes),
    queryEvents(store, parts.judgedAt, maxResultBytes),
    queryTopics(store, parts.judgedAt),
    queryTagNames(store, metrics, parts.judgedAt),
    queryTagValues(store, metrics, parts.judgedAt),
    listAlerts(parts.alertQueries),
    testAlertRule(parts.alertQueries),
    queryEventData(store, metrics, parts.judgedAt, maxResultBytes),
    queryParameterData(store, metrics, parts.judgedAt, maxResultBytes),
  ];
  return [
    writeParameterData(writer),
    writeParameterDataBatch(writer),
    updateParametersRoute(writer),
    writeEventData(writer),
    writeEventValue(writer),
    updateEventsRoute(writer),
    createStreamRoute(writer),
    updateStreamRoute(writer),
    closeStreamRoute(writer),
    ...explorer(parts.explorerFolder),
    ...lineProtocol(writer, store, parts.line, doors, parts.now),
    ...remoteWrite(writer, parts.prometheus, doors),
    otlpMetrics(writer, parts.otlp, doors),
    collectd(writer, parts.collectd, doors, nextTime),
    ...pushgateway(writer, parts.prometheus, doors, nextTime),
    ...queries.map(watchQueries(parts)),
    ...prometheusQueries(promql),
    ...prometheusListings(promql),
    listViews(views),
    getView(views),
    putView(views),
    deleteView(views),
    shareView(shares),
    listShares(shares),
    revokeShares(shares),
    revokeShare(shares),
    ...deleteStreams(writer),
    restoreStreams(writer),
    ...deleteRows(store),
    putTopic(writer),
    ...calculatedRoutes(parts.calculated),
    listAlertRules(alerts),
    getAlertRule(alerts),
    putAlertRule(alerts),
    removeAlertRule(alerts),
    listTokens(tokens),
    createToken(tokens),
    revokeToken(tokens),
    listWorkspaces(workspaces),
    createWorkspace(workspaces),
    putWorkspace(workspaces),
    removeWorkspace(workspaces),
    readContents(parts.contents),
    putContents(parts.contents),
    listRunningQueries(running, store.catalog),
    endRunningQuery(running, parts.log),
    tellReplicas(parts.replicas),
    listDoors(doors),
    backupRoute(store),
    readClock(store),
    confirmClock(store),
    healthz(),
    readyz(store, parts.link, parts.isStopping),
    metricsRoute(metrics, parts.metricsOpen),
  ];
}
