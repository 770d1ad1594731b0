import type { Server } from 'node:net';
import type { Admit } from '../auth/admit.ts';
import type { Config } from '../config.ts';
import { readTls, type TlsBytes, type TlsFiles } from '../http/front.ts';
import type { ByteBudget } from '../ingest/byte-budget.ts';
import type { Doors } from '../ingest/doors.ts';
import type { LeastRate } from '../ingest/least-rate.ts';
import type { Writer } from '../ingest/writer.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import { brokerAddress } from '../mqtt/broker-address.ts';
import { type BrokerLink, openBrokerLink } from '../mqtt/broker-link.ts';
import { createMqttCore, type MqttCore } from '../mqtt/core.ts';
import { headBytes, loadPackets } from '../mqtt/packets.ts';
import { type MqttServer, startMqttServer } from '../mqtt/server.ts';
import type { CountedSubscriptions } from '../mqtt/sessions.ts';
import { filterFlaw } from '../mqtt/topic-filter.ts';
import type { Address } from '../setting-values.ts';
import type { Store } from '../store/store.ts';

/** MQTT as it is open. */
export interface Mqtt {
  /** Where clients reach it. */
  readonly urls: readonly string[];
  /** Connections from now on get this certificate. */
  reloadTls(tls: TlsBytes): void;
  stop(): Promise<void>;
}

interface MqttParts {
  readonly store: Store;
  readonly writer: Writer;
  readonly budget: ByteBudget;
  readonly doors: Doors;
  readonly admit: Admit;
  readonly subscriptions: CountedSubscriptions;
  readonly settled: () => Promise<void>;
  readonly leastRate: LeastRate;
  readonly metrics: Metrics;
  readonly watch: (server: Server) => void;
  readonly tls: TlsFiles | undefined;
  readonly log: Log;
  readonly now: () => number;
  /** Whether this node reads from a broker: of replicas one at a time. */
  readonly isOwn: () => boolean;
}

/**
 * Opens what of MQTT is asked for; undefined where nothing is, and then its library is not loaded. Throws an Error
 * for the operator where a setting is wrong or the address cannot be had.
 */
export async function openMqtt(config: Config, parts: MqttParts): Promise<Mqtt | undefined> {
  const { mqttListen: address, mqttConnect: url } = config;
  if (url === undefined && config.mqttSubscribe.length > 0)
    throw new Error('--mqtt-subscribe is of no use without --mqtt-connect');
  if (url !== undefined && config.mqttSubscribe.length === 0)
    throw new Error('--mqtt-connect is of no use without --mqtt-subscribe');
  if (address === undefined && url === undefined) return undefined;
  for (const filter of config.mqttSubscribe) {
    const flaw = filterFlaw(filter);
    if (flaw !== undefined) throw new Error(`--mqtt-subscribe has ${flaw} in '${filter}'`);
  }
  if (url !== undefined && parts.store.catalog.workspace(config.mqttWorkspace) === undefined)
    throw new Error(`--mqtt-workspace: there is no workspace '${config.mqttWorkspace}'`);
  await loadPackets();
  const core = createMqttCore({
    ...parts,
    topics: config.mqttTopics,
    timeFields: config.mqttTime,
    tagProperties: config.mqttTags,
    streamTags: config.lineStreamTags,
    limits: config,
  });
  const server = address && (await openServer(config, address, core, parts));
  const link = url === undefined ? undefined : openLink(config, url, core, parts);
  return {
    urls: server === undefined ? [] : [server.url],
    reloadTls: (tls) => server?.reloadTls(tls),
    async stop() {
      await Promise.all([server?.stop(), link?.stop()]);
      core.stop();
    },
  };
}

function openServer(config: Config, address: Address, core: MqttCore, parts: MqttParts): Promise<MqttServer> {
  return startMqttServer({
    ...parts,
    door: core.through(parts.doors.open('mqtt', [])),
    address,
    tls: parts.tls && readTls(parts.tls),
    connectTimeoutMs: config.headTimeout,
    maxNameBytes: config.maxNameBytes,
    maxMessageBytes: config.maxBodyBytes,
    maxQueueBytes: config.hubMaxQueueBytes,
    maxTotalQueueBytes: config.hubMaxTotalQueueBytes,
  });
}

function openLink(config: Config, url: string, core: MqttCore, parts: MqttParts): BrokerLink {
  const address = brokerAddress(url);
  return openBrokerLink({
    door: core.through(parts.doors.open('mqtt-broker', [address.shown])),
    address,
    filters: config.mqttSubscribe,
    clientId: config.mqttClientId,
    workspace: config.mqttWorkspace,
    maxPacketBytes: config.maxBodyBytes + headBytes,
    log: parts.log,
    isOwn: parts.isOwn,
  });
}
