import type { TokenAdmin } from '../auth/token-admin.ts';
import type { Writer } from '../ingest/writer.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import type { RunningQueries } from '../query/running-queries.ts';
import type { Store } from '../store/store.ts';
import type { Workspaces } from '../workspaces/manage.ts';
import type { Route } from './route.ts';
import { backupRoute } from './routes/backup.ts';
import { deleteStreams, restoreStreams } from './routes/change-streams.ts';
import { confirmClock, readClock } from './routes/clock.ts';
import { deleteRows } from './routes/delete-rows.ts';
import { explorer } from './routes/explorer.ts';
import { healthz, type LinkHealth, metricsRoute, readyz } from './routes/health.ts';
import { lineProtocol } from './routes/line-protocol.ts';
import { queryEventData } from './routes/query-event-data.ts';
import { queryEvents, queryParameters, queryTopics } from './routes/query-listings.ts';
import { queryParameterData } from './routes/query-parameter-data.ts';
import { queryStreamModels, queryStreams } from './routes/query-streams.ts';
import { queryTagValues } from './routes/query-tag-values.ts';
import { endRunningQuery, listRunningQueries } from './routes/running-queries.ts';
import { createToken, listTokens, revokeToken } from './routes/tokens.ts';
import { putTopic } from './routes/topics.ts';
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
  readonly writer: Writer;
  readonly tokens: TokenAdmin;
  readonly workspaces: Workspaces;
  readonly metrics: Metrics;
  readonly running: RunningQueries;
  /** Queries that take longer are logged; undefined logs none. */
  readonly slowQueryMs: number | undefined;
  readonly log: Log;
  readonly metricsOpen: boolean;
  readonly maxResultBytes: number;
  /** Where the explorer was built to. */
  readonly explorerFolder: string;
  /** Tags that tell streams of one measurement apart, in the line protocol. */
  readonly lineStreamTags: readonly string[];
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  readonly isStopping: () => boolean;
}

/** Every call of the HTTP interface. */
export function routeTable(parts: RouteParts): Route[] {
  const { store, writer, tokens, workspaces, metrics, running, maxResultBytes } = parts;
  const queries = [
    queryStreams(store, parts.now),
    queryStreamModels(store, parts.now),
    queryParameters(store, maxResultBytes),
    queryEvents(store, maxResultBytes),
    queryTopics(store),
    queryTagValues(store, metrics),
    queryEventData(store, metrics, maxResultBytes),
    queryParameterData(store, metrics, maxResultBytes),
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
    ...lineProtocol(writer, store, parts.lineStreamTags),
    ...queries.map(watchQueries(parts)),
    ...deleteStreams(writer),
    restoreStreams(writer),
    ...deleteRows(store),
    putTopic(writer),
    listTokens(tokens),
    createToken(tokens),
    revokeToken(tokens),
    listWorkspaces(workspaces),
    createWorkspace(workspaces),
    putWorkspace(workspaces),
    removeWorkspace(workspaces),
    listRunningQueries(running, store.catalog),
    endRunningQuery(running, parts.log),
    backupRoute(store),
    readClock(store),
    confirmClock(store),
    healthz(),
    readyz(store, parts.link, parts.isStopping),
    metricsRoute(metrics, parts.metricsOpen),
  ];
}
