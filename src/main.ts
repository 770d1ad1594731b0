import { fileURLToPath } from 'node:url';
import { webhookHosts } from './alerts/webhook-hosts.ts';
import { createAdmit } from './auth/admit.ts';
import { createAuthenticate } from './auth/authenticate.ts';
import { createShareAdmin } from './auth/share-admin.ts';
import { createTokenAdmin } from './auth/token-admin.ts';
import type { Config } from './config.ts';
import { readTls } from './http/front.ts';
import { createListeners } from './http/listeners.ts';
import { requestIds } from './http/request-ids.ts';
import { type Route, servedBy } from './http/route.ts';
import { routeTable } from './http/route-table.ts';
import { createHub } from './hub/hub.ts';
import { readerHub } from './hub/reader-hub.ts';
import { countedSubscriptions } from './hub/subscriptions.ts';
import { writerHub } from './hub/writer-hub.ts';
import { createAlertAdmin } from './ingest/alerts/alert-admin.ts';
import { createAlertQueries } from './ingest/alerts/alert-queries.ts';
import { createAlerts } from './ingest/alerts/alerts.ts';
import { createByteBudget } from './ingest/byte-budget.ts';
import { createCalculatedKeeper } from './ingest/calculated-keeper.ts';
import { createDoors } from './ingest/doors.ts';
import { createLeastRate } from './ingest/least-rate.ts';
import { waitForRoom } from './ingest/room.ts';
import { createWriter } from './ingest/writer.ts';
import type { Log } from './log.ts';
import { createMetrics } from './metrics.ts';
import { createRunningQueries } from './query/running-queries.ts';
import type { Address } from './setting-values.ts';
import { type FirstToken, makeFirstToken } from './start/first-token.ts';
import { hubLimits } from './start/hub-limits.ts';
import { openFileLimit, shareOpenFiles } from './start/open-files.ts';
import { openLive } from './start/open-live.ts';
import { type Mqtt, openMqtt } from './start/open-mqtt.ts';
import { openStore } from './start/open-store.ts';
import { readings } from './start/readings.ts';
import { runAlerts } from './start/run-alerts.ts';
import { stopwatch } from './start/stopwatch.ts';
import { checkTlsFiles } from './start/tls-files.ts';
import { limitNotes, limitTexts } from './turns/limit-notes.ts';
import { longestTurns, watchTurns } from './turns/long-turns.ts';
import { neverAborted } from './turns/pace.ts';
import { inNextTurn } from './turns/rest.ts';
import { workspaceTurns } from './views/turns.ts';
import { createViews } from './views/views.ts';
import { remembered } from './wire/known.ts';
import { workspaceOfHost } from './workspaces/host-pattern.ts';
import { createWorkspaces } from './workspaces/manage.ts';

/** A running service. */
export interface Service {
  /** The main address first. */
  readonly addresses: readonly ServiceAddress[];
  /** The admin token that this start made because there was none; it is stored nowhere. */
  readonly firstToken: FirstToken | undefined;
  /** Reads the TLS files again; connections from now on get the new certificate. */
  reloadTls(): void;
  /** Takes no more requests, finishes those under way, and closes the store. */
  stop(): Promise<void>;
}

export interface ServiceAddress {
  readonly interface: 'all' | 'query' | 'writer' | 'hub' | 'mqtt';
  readonly url: string;
}

/** How often the hub looks at its deadlines, which are seconds. */
const hubTickMs = 1000;

/**
 * Builds the service bottom-up: store, live data, writer, authentication, HTTP. Throws an Error with one line for the
 * operator if something stands in the way, and the reason of `signal` where that ends the wait for ClickHouse or NATS;
 * then nothing stays open.
 */
export async function startService(
  config: Config,
  log: Log,
  signal: AbortSignal = neverAborted,
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
      () => hub,
      () => webhooks,
    ),
  );
  const openFiles = shareOpenFiles(openFileLimit());
  let begin = (): void => undefined;
  const ready = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const store = await openStore(config, openFiles, metrics, log, signal, ready);
  step('store');
  const passed = performance.now.bind(performance);
  const noteAhead = limitNotes(passed, (times) =>
    log.warn(
      { times },
      'rows are left out, for they are too far ahead of the clock; see --rows-ahead, POST /alerts',
    ),
  );
  const onAhead = (by: 'rules' | 'live') => (rows: number) => {
    metrics.rowsAhead.inc({ by }, rows);
    noteAhead();
  };
  const live = await openLive(config, store.catalog, onAhead('live'), log, signal).catch(
    async (error: unknown) => {
      await store.close();
      throw error;
    },
  );
  step('live');

  const { broker, link } = live;
  const tokens = createTokenAdmin(store, now);
  const turns = workspaceTurns();
  const views = createViews(store, turns, now);
  const shares = createShareAdmin({ store, views, turns, operatorToken: config.token, now });
  const webhookTargets = webhookHosts(config.webhookAllow);
  const clock = { now, aheadMs: config.rowsAhead };
  const alerts = createAlerts(store.catalog, {
    ...clock,
    onNoRoom: (lost) => metrics.webhookMessagesLost.inc({ reason: 'no_room' }, lost),
    onAhead: onAhead('rules'),
  });
  const writer = createWriter(store, config, metrics, broker, clock, alerts);
  const alerting = runAlerts({
    store,
    alerts,
    commit: writer.silence,
    hosts: webhookTargets,
    metrics,
    log,
    now,
  });
  const { webhooks } = alerting;
  const doors = createDoors(metrics);
  const routes = routeTable({
    store,
    link,
    writer,
    doors,
    calculated: createCalculatedKeeper(store),
    alerts: createAlertAdmin(store, now, webhookTargets),
    alertQueries: createAlertQueries(store, alerts, webhooks, now),
    tokens,
    views,
    shares,
    workspaces: createWorkspaces(store, now),
    metrics,
    running,
    slowQueryMs: config.slowQuery,
    log,
    metricsOpen: config.metricsOpen,
    maxResultBytes: config.maxResultBytes,
    line: { streamTags: config.lineStreamTags, topic: config.lineTopic },
    prometheus: { streamLabels: config.prometheusStream, limits: config, known: remembered() },
    otlp: { topic: config.otlpTopic, stream: config.otlpStream, limits: config, known: remembered() },
    maxQueryMs: config.maxQueryTime,
    collectd: { topic: config.collectdTopic, limits: config, now },
    explorerFolder: fileURLToPath(new URL('./web', import.meta.url)),
    now,
    isStopping: () => stopping,
  });
  const noteSlow = limitNotes(passed, (times) =>
    log.warn({ times }, 'bodies came too slowly and were given up; see --min-body-rate'),
  );
  const leastRate = createLeastRate({
    bytesPerSecond: config.minBodyRate,
    graceMs: config.bodyGrace,
    onSlow() {
      metrics.slowBodies.inc();
      noteSlow();
    },
  });
  const rateClock = setInterval(leastRate.tick, leastRate.tickMs);
  const shared = {
    leastRate,
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
  const warnOfHub = limitTexts(passed, (times, warning) =>
    log.warn({ times, warning }, 'writes over the hub were probably meant otherwise'),
  );
  const hub = createHub({
    ...shared,
    methods: [...writerHub(writer, warnOfHub), ...readerHub(broker, subscriptions, config, settled)],
    limits: hubLimits(config),
    node: config.nodeName,
    budget,
    room: waitForRoom(store),
    now,
    onReaderLetGo: limitNotes(passed, (times) =>
      log.warn({ times }, 'readers of the hub were closed, for memory; see --hub-max-total-queue-bytes'),
    ),
    onEnding: subscriptions.drop,
  });
  const hubClock = setInterval(hub.tick, hubTickMs);

  const noteLong = longestTurns(({ ms, work, parts }, times) =>
    log.warn(
      { milliseconds: ms, work, parts, times },
      'everything else had to wait; see pitwall_long_turns_total',
    ),
  );
  let endWatch = (): void => undefined;
  let mqtt: Mqtt | undefined;

  const listeners = createListeners({
    ...shared,
    maxBodyBytes: config.maxBodyBytes,
    headTimeoutMs: config.headTimeout,
    tls,
    isStopping: () => stopping,
    maxConnections: Math.min(openFiles.connections, config.maxConnections ?? Number.POSITIVE_INFINITY),
    maxConnectionsPerAddress: config.maxConnectionsPerAddress,
    writeTimeoutMs: config.writeTimeout,
  });
  const listen = async (name: ServiceAddress['interface'], address: Address, served: readonly Route[]) => ({
    interface: name,
    url: await listeners.listen(address, served, name === 'all' || name === 'hub' ? hub : undefined),
  });
  const stop = async (): Promise<void> => {
    stopping = true;
    endWatch();
    await mqtt?.stop();
    const stopped = stopwatch(log);
    await hub.stop();
    clearInterval(hubClock);
    clearInterval(rateClock);
    await alerting.endSilence();
    stopped('hub stopped');
    await listeners.close();
    stopped('http stopped');
    await alerting.stopWebhooks();
    stopped('webhooks stopped');
    await live.close();
    stopped('live closed');
    await store.close();
    stopped('store closed');
  };

  try {
    const addresses: ServiceAddress[] = [await listen('all', config.listen, routes)];
    for (const [name, address] of [
      ['query', config.queryListen],
      ['writer', config.writerListen],
      ['hub', config.hubListen],
    ] as const) {
      if (address !== undefined) addresses.push(await listen(name, address, servedBy(name, routes)));
    }
    const { watch } = listeners;
    const tlsOf = tls && (() => readTls(tls));
    const door = { ...shared, store, writer, budget, doors, subscriptions, settled, watch, tlsOf, now };
    mqtt = await openMqtt(config, door);
    for (const url of mqtt?.urls ?? []) addresses.push({ interface: 'mqtt', url });
    step('http');
    endWatch = watchTurns((turn) => {
      metrics.longTurns.inc({ work: turn.work });
      noteLong(turn);
    }, metrics.loopDelay);
    const firstToken = config.token === undefined ? await makeFirstToken(store, tokens) : undefined;
    // When who waits for the service has been told.
    inNextTurn(begin);
    return {
      addresses,
      firstToken,
      reloadTls() {
        listeners.reloadTls();
        mqtt?.reloadTls();
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
