import { webhookHosts } from './alerts/webhook-hosts.ts';
import { createAdmit } from './auth/admit.ts';
import { createAuthenticate } from './auth/authenticate.ts';
import type { Config } from './config.ts';
import { createListeners } from './http/listeners.ts';
import { requestIds } from './http/request-ids.ts';
import { countedSubscriptions } from './hub/subscriptions.ts';
import { createAlerts } from './ingest/alerts/alerts.ts';
import { createByteBudget } from './ingest/byte-budget.ts';
import { BatchCommitter } from './ingest/commit.ts';
import { createDoors } from './ingest/doors.ts';
import { Writer } from './ingest/writer.ts';
import type { Log } from './log.ts';
import { createMetrics } from './metrics.ts';
import { createRunningQueries } from './query/bounds/running-queries.ts';
import { type FirstToken, makeFirstToken } from './start/first-token.ts';
import { startNotes } from './start/notes.ts';
import { openAddresses, type ServiceAddress } from './start/open-addresses.ts';
import { openFileLimit, shareOpenFiles } from './start/open-files.ts';
import { openLive } from './start/open-live.ts';
import { type Mqtt, openMqtt } from './start/open-mqtt.ts';
import { openByLog } from './start/open-replicas.ts';
import { openRoutes } from './start/open-routes.ts';
import { openStore } from './start/open-store.ts';
import { readings } from './start/readings.ts';
import { runAlerts } from './start/run-alerts.ts';
import { runHub } from './start/run-hub.ts';
import { stopwatch } from './start/stopwatch.ts';
import { checkTlsFiles, reloadTls } from './start/tls-files.ts';
import { type WarmUp, warmUp } from './start/warm-up.ts';
import { watchBodies } from './start/watch-bodies.ts';
import { watchTurns } from './turns/long-turns.ts';
import { neverAborted } from './turns/pace.ts';
import { promised } from './turns/promised.ts';
import { inNextTurn } from './turns/rest.ts';
import { workspaceOfHost } from './workspaces/host-pattern.ts';

/** A running service. */
export interface Service {
  /** The main address first. */
  readonly addresses: readonly ServiceAddress[];
  /** The admin token that this start made because there was none; it is stored nowhere. */
  readonly firstToken: FirstToken | undefined;
  /** Reads the TLS files again; connections from now on get the new certificate. */
  reloadTls(): void;
  /** Resolves where the service has to be stopped and started again: replicas go on with another log. */
  readonly outdated: Promise<void>;
  /** Takes no more requests, finishes those under way, and closes the store. */
  stop(): Promise<void>;
}

export interface StartOptions {
  /** It is there to be copied: rules do not fire for want of rows, and webhooks wait. */
  readonly isSource?: boolean;
}

/**
 * Builds the service bottom-up: store, live data, writer, authentication, HTTP. Throws an Error with one line for the
 * operator if something stands in the way, and the reason of `signal` where that ends the wait for ClickHouse or NATS;
 * then nothing stays open.
 */
export async function startService(
  config: Config,
  log: Log,
  signal: AbortSignal = neverAborted,
  { isSource = false }: StartOptions = {},
): Promise<Service> {
  const step = stopwatch(log);
  const now = Date.now;
  let stopping = false;

  const hosts = workspaceOfHost(config.hostPattern, config.domain);
  const tls = checkTlsFiles(config);
  const budget = createByteBudget(config.maxInFlightBytes);
  const newRequestId = requestIds();
  const running = createRunningQueries(newRequestId, now);
  const metrics = createMetrics(
    readings(
      budget,
      running,
      () => store,
      () => live.link,
      () => replicas?.state(),
      () => hub.hub,
      () => webhooks,
    ),
  );
  const openFiles = shareOpenFiles(openFileLimit());
  const { promise: ready, resolve: begin } = promised();
  const open = (time?: () => number) => openStore(config, openFiles, metrics, log, signal, ready, time);
  const { local, replication, abandon } = await openByLog(config, open, log, signal);
  step('store');
  const notes = startNotes(log);
  const onAhead = (by: 'rules' | 'live') => (rows: number) => {
    metrics.rowsAhead.inc({ by }, rows);
    notes.rowsAhead();
  };
  const live = await openLive(config, local.catalog, onAhead('live'), log, signal).catch(abandon);
  step('live');

  const { broker, link } = live;
  const webhookTargets = webhookHosts(config.webhookAllow);
  // What is said of rows and streams is a matter of records: of replicas all go by the time of the log.
  const judgedAt = replication?.clock.now ?? now;
  const clock = { now: judgedAt, wall: now, aheadMs: config.rowsAhead };
  const alerts = createAlerts(local.catalog, {
    ...clock,
    onNoRoom: (lost) => metrics.webhookMessagesLost.inc({ reason: 'no_room' }, lost),
    onAhead: onAhead('rules'),
  });
  const ownCommitter = new BatchCommitter(replication?.applied(local) ?? local, broker, alerts);
  const { promise: outdated, resolve: onNext } = promised();
  const replicas = replication?.join(local, ownCommitter, alerts.states, onNext);
  const store = replicas?.store ?? local;
  const committer = replicas?.committer ?? ownCommitter;
  const writer = new Writer(store, config, metrics, clock, committer);
  const isOwn = () => !isSource && (replicas === undefined || replicas.holdsLease());
  const toAlerts = { store, alerts, committer, hosts: webhookTargets, metrics, log, isOwn, now: judgedAt };
  const alerting = runAlerts(toAlerts);
  const { webhooks } = alerting;
  const doors = createDoors(metrics, notes.doorWrite);
  const isStopping = () => stopping;
  const parts = { store, link, replicas, writer, doors, metrics, running, log, now, judgedAt, isStopping };
  const { routes, tokens } = openRoutes(config, { ...parts, alerts, webhooks, webhookTargets });
  const bodies = watchBodies(config, metrics, notes.slowBody);
  const shared = {
    leastRate: bodies.leastRate,
    admit: createAdmit({
      authenticate: createAuthenticate({ catalog: store.catalog, operatorToken: config.token, now }),
      workspaceOfHost: hosts,
      budget,
      metrics,
    }),
    metrics,
    corsOrigin: config.corsOrigin,
    log,
    newRequestId,
  };
  const settled = async (): Promise<void> => {
    if (link !== undefined) await live.settled();
    await writer.settled();
  };
  const subscriptions = countedSubscriptions(broker, config.hubMaxSubscriptions);
  const toHub = { store, writer, broker, subscriptions, settled, notes, budget };
  const hub = runHub(config, { ...shared, ...toHub });

  let endWatch = (): void => undefined;
  let mqtt: Mqtt | undefined;
  let warming: WarmUp | undefined;
  const listeners = createListeners({
    ...shared,
    maxBodyBytes: config.maxBodyBytes,
    headTimeoutMs: config.headTimeout,
    tls,
    isStopping,
    order: replicas,
    maxConnections: Math.min(openFiles.connections, config.maxConnections ?? Number.POSITIVE_INFINITY),
    maxConnectionsPerAddress: config.maxConnectionsPerAddress,
    writeTimeoutMs: config.writeTimeout,
  });
  const stop = async (): Promise<void> => {
    stopping = true;
    endWatch();
    await warming?.end();
    await mqtt?.stop();
    const stopped = stopwatch(log);
    await hub.stop();
    await alerting.endSilence();
    stopped('hub stopped');
    await listeners.close();
    bodies.end();
    stopped('http stopped');
    await alerting.stopWebhooks();
    stopped('webhooks stopped');
    await replicas?.close();
    await live.close();
    stopped('live closed');
    await store.close();
    stopped('store closed');
  };

  try {
    const addresses = await openAddresses(config, listeners, routes, hub.hub);
    const { watch } = listeners;
    const door = { ...shared, isOwn, store, writer, budget, doors, subscriptions, settled, watch, tls, now };
    mqtt = await openMqtt(config, door);
    for (const url of mqtt?.urls ?? []) addresses.push({ interface: 'mqtt', url });
    step('http');
    endWatch = watchTurns((turn) => {
      metrics.longTurns.inc({ work: turn.work });
      notes.longTurn(turn);
    }, metrics.loopDelay);
    if (config.token === undefined) await replicas?.caughtUp(signal);
    const firstToken = config.token === undefined ? await makeFirstToken(store, tokens) : undefined;
    // When who waits for the service has been told.
    inNextTurn(begin);
    if (config.store === undefined) warming = warmUp(local, config, log);
    return {
      addresses,
      firstToken,
      reloadTls() {
        if (tls !== undefined) reloadTls(tls, log, mqtt === undefined ? [listeners] : [listeners, mqtt]);
      },
      outdated,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
