import {
  address,
  allowedHosts,
  clickHouseUrl,
  clusterName,
  count,
  countOrNone,
  countUpTo,
  duration,
  durationOrNone,
  durationOrOff,
  durationUpTo,
  mqttUrl,
  names,
  natsUrl,
  nodeName,
  oneOf,
  optional,
  origins,
  size,
  text,
  token,
  truth,
} from './setting-values.ts';

/**
 * Every setting of the service, in one table. The key is the name in the JSON file (`--config`); the flag and
 * the environment variable follow from it: `dataDir`, `--data-dir`, `PITWALL_DATA_DIR`. Flags win over the
 * environment, the environment wins over the file, the file wins over the default.
 */
export const settings = {
  dataDir: setting(
    'folder',
    './pitwall-data',
    text,
    'where everything is kept; one process at a time uses it',
  ),
  store: setting(
    'URL',
    '',
    optional(clickHouseUrl),
    'ClickHouse instead of the data folder, as clickhouse://user:password@host:8123/database, several hosts with commas (the first that answers is used), clickhouses:// for TLS',
  ),
  live: setting(
    'URL',
    '',
    optional(natsUrl),
    'NATS, over which nodes tell each other what is written, as nats://user:password@host:4222, tls:// for TLS',
  ),
  listen: setting(
    'HOST:PORT',
    '127.0.0.1:8480',
    address,
    'address of every interface; port 0 takes any free one',
  ),
  queryListen: setting('HOST:PORT', '', optional(address), 'a further address that serves queries only'),
  writerListen: setting('HOST:PORT', '', optional(address), 'a further address that serves the writer only'),
  hubListen: setting('HOST:PORT', '', optional(address), 'a further address that serves the hub only'),
  hostPattern: setting(
    'pattern',
    '',
    optional(text),
    'how a Host header names a workspace, such as {service}-{organisation}-{workspace}.{domain}',
  ),
  domain: setting('name', '', optional(text), 'what {domain} stands for in the host pattern'),
  token: secret(
    'token',
    '',
    optional(token),
    'an admin token of the default workspace, chosen by the operator, of 16 characters at least',
  ),
  tlsCert: setting('file', '', optional(text), 'certificate chain (PEM); read again on SIGHUP'),
  tlsKey: setting('file', '', optional(text), 'private key (PEM); read again on SIGHUP'),
  interruptedAfter: setting(
    'time',
    '60s',
    duration,
    'an open stream without writes for so long is Interrupted',
  ),
  rowsAhead: setting(
    'time',
    '1m',
    duration,
    "alert rules and live calculated parameters leave out rows that are further ahead of the service's clock, and tell so",
  ),
  lineStreamTags: setting(
    'names',
    '',
    names,
    'tags of the line protocol, with commas, whose values make streams of their own of a measurement',
  ),
  lineTopic: setting(
    'name',
    '',
    optional(text),
    "topic of lines of the line protocol whose address names none, as of QuestDB's clients; without it they are refused",
  ),
  prometheusStream: setting(
    'labels',
    'instance',
    names,
    'labels of remote write, with commas, whose values make the stream',
  ),
  otlpTopic: setting(
    'attributes',
    'service.namespace,service.name',
    names,
    'attributes of a resource of OpenTelemetry, with commas: the first one that it has is the topic; a+b is the values of both',
  ),
  otlpStream: setting(
    'attributes',
    'service.instance.id,host.name,service.name',
    names,
    'the same for the stream',
  ),
  collectdTopic: setting('name', 'collectd', text, 'topic of what collectd writes'),
  mqttListen: setting(
    'HOST:PORT',
    '',
    optional(address),
    'an address that takes MQTT, over TCP and in WebSockets; with TLS where there is a certificate',
  ),
  mqttConnect: setting(
    'URL',
    '',
    optional(mqttUrl),
    'an MQTT broker to read from, as mqtt://user:password@host:1883, mqtts:// for TLS',
  ),
  mqttSubscribe: setting('filters', '', names, 'what to read of the broker: filters of MQTT, with commas'),
  mqttClientId: setting('name', 'pitwall', text, 'the id of this service at the broker, of its own'),
  mqttWorkspace: setting('name', 'default', text, 'the workspace of what the broker brings'),
  mqttTopics: setting(
    'rules',
    '',
    names,
    'forms of topics of MQTT before the usual ones, with commas, such as value:{topic}/{stream}/{parameter}; forms: json, value, line, collectd, sparkplug',
  ),
  mqttTime: setting(
    'names',
    'time,timestamp,ts,Time',
    names,
    'fields of flat JSON over MQTT, with commas, the first of which that is there is the time',
  ),
  mqttTags: setting(
    'names',
    '',
    names,
    'user properties of MQTT 5, with commas, that are tags of the rows; * is all',
  ),
  maxConnections: setting(
    'count',
    '',
    optional(count),
    'most connections of clients at one time, over all addresses; without it as many as the limit of open files leaves',
  ),
  maxConnectionsPerAddress: setting(
    'count',
    '',
    optional(count),
    'most of these from one address of a client, or IPv6 network of 64 bits; behind a proxy all clients have one address',
  ),
  headTimeout: setting(
    'time',
    '20s',
    durationUpTo(300_000),
    'a connection on which the head of a request is not whole by then is closed, 5m at most',
  ),
  maxBodyBytes: setting('bytes', '32MiB', size, 'largest body of a request, after decompression'),
  maxInFlightBytes: setting(
    'bytes',
    '256MiB',
    size,
    'all bodies and answers in memory at one time, which tokens and workspaces share; then 503',
  ),
  minBodyRate: setting(
    'bytes a second',
    '256B',
    size,
    'a body, or a message to the hub, that comes slower than this is given up',
  ),
  bodyGrace: setting('time', '10s', duration, 'the time over which that rate is looked at, again and again'),
  writeTimeout: setting(
    'time',
    '60s',
    durationOrOff,
    'a client that takes less than 256 bytes a second of what waits for it, over so long, is cut; off or 0 cuts none',
  ),
  webhookAllow: setting(
    'hosts',
    '',
    allowedHosts,
    'hosts that the webhooks of alert rules may call, with commas, with a port or without; private and loopback addresses only where they are named, or their network (10.0.0.0/8)',
  ),
  nodeName: setting(
    'name',
    'node1',
    nodeName,
    "this node's name, with which the tokens of its hub connections begin",
  ),
  hubHandshakeTimeout: setting(
    'time',
    '15s',
    duration,
    'a hub connection without a handshake by then is closed',
  ),
  hubKeepAlive: setting(
    'time',
    '15s',
    duration,
    'the hub pings a client to which it sent nothing for so long',
  ),
  hubClientTimeout: setting(
    'time',
    '30s',
    duration,
    'a hub client that pings is gone after so long a silence',
  ),
  hubMaxMessageBytes: setting('bytes', '32MiB', size, 'largest message to the hub'),
  hubMaxUnfinishedBytes: setting(
    'bytes',
    '64MiB',
    size,
    'most bytes of a hub client that wait for the rest of their message or WebSocket message',
  ),
  hubMaxDepth: setting(
    'levels',
    '64',
    countUpTo(64),
    'deepest nesting of an argument to the hub, 64 at most',
  ),
  hubMaxConnections: setting('count', '10000', count, 'most hub connections of a token at one time'),
  hubMaxSubscriptions: setting('count', '100000', count, 'most hub subscriptions of a token at one time'),
  hubMaxInFlight: setting(
    'count',
    '1000',
    count,
    'most unanswered calls of a hub connection; more stay unread until one is answered',
  ),
  hubMaxQueueBytes: setting('bytes', '16MiB', size, 'a hub reader that is so far behind is closed'),
  hubMaxTotalQueueBytes: setting(
    'bytes',
    '256MiB',
    size,
    'what waits in memory for all hub readers together; beyond it those furthest behind are closed',
  ),
  maxResultBytes: setting('bytes', '128MiB', size, 'largest columnar answer, as columns in memory'),
  maxQueryTime: setting(
    'time',
    '2m',
    duration,
    'longest that a query works before its first row, and from rows to the next',
  ),
  slowQuery: setting(
    'time',
    '1s',
    durationOrOff,
    'a query that takes longer is logged, with its text; off or 0 logs none',
  ),
  readThreads: setting(
    'count',
    '',
    optional(countOrNone),
    'threads that read beside the main thread, with the data folder; without it one less than cores, 1 at least; 0: none',
  ),
  maxNameBytes: setting('bytes', '512', size, 'longest name or id, in UTF-8'),
  maxParameters: setting('count', '4096', count, 'most parameters in a payload'),
  maxTags: setting('count', '256', count, 'most tags in a payload'),
  maxTimestamps: setting('count', '1000000', count, 'most timestamps in a payload'),
  maxStringBytes: setting('bytes', '64KiB', size, 'longest string value, in UTF-8'),
  maxBinaryBytes: setting('bytes', '1MiB', size, 'longest binary value'),
  cacheBytes: setting('bytes', '96MiB', size, 'blocks of parts kept in memory for reads'),
  indexBytes: setting('bytes', '128MiB', size, 'indexes of parts kept in memory for reads'),
  snapshotBytes: setting(
    'bytes',
    '256MiB',
    size,
    'rows kept in memory for slow reads alone; then the read that waits for its client for longest ends',
  ),
  headBytes: setting('bytes', '128MiB', size, 'rows kept in memory before they are sealed into parts'),
  clickhouseCluster: setting(
    'name',
    '',
    optional(clusterName),
    "experimental, never run on several machines: a cluster of ClickHouse's configuration, on which tables are replicated and spread",
  ),
  clickhouseDurability: setting(
    'level',
    'synced',
    oneOf('synced', 'cached'),
    'when ClickHouse acknowledges an insert: on the disk, or with the operating system',
  ),
  clickhouseInsertRows: setting(
    'count',
    '400000',
    count,
    'most values that one insert into ClickHouse gathers',
  ),
  clickhouseInsertAge: setting(
    'time',
    '',
    optional(durationOrNone),
    'shortest time between two inserts into ClickHouse that are not full, so longest that rows wait for others; 0ms, with a cluster 200ms',
  ),
  clickhousePendingBytes: setting(
    'bytes',
    '256MiB',
    size,
    'rows that wait for ClickHouse; writers wait beyond it, and get 503 after ten seconds',
  ),
  corsOrigin: setting('origins', '*', origins, 'origins that browsers may call from, with commas; * is any'),
  metricsOpen: setting('true or false', 'false', truth, 'serve /metrics without a token'),
  logLevel: setting(
    'level',
    'info',
    oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
    'log level',
  ),
} as const;

export type Settings = typeof settings;

/** A wrong or unknown setting; the message is one line for the operator. */
export class ConfigError extends Error {}

export interface Setting<Value> {
  readonly unit: string;
  /** As an operator would write it; empty means unset. */
  readonly fallback: string;
  /** Reads the text of a setting, or throws an Error that says what was expected. */
  readonly read: (text: string) => Value;
  readonly help: string;
  /** Secrets have no flag: every user of a machine can see its command lines. */
  readonly secret: boolean;
}

export function flagOf(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

export function variableOf(key: string): string {
  return `PITWALL_${flagOf(key).replaceAll('-', '_').toUpperCase()}`;
}

function setting<Value>(
  unit: string,
  fallback: string,
  read: (text: string) => Value,
  help: string,
): Setting<Value> {
  return { unit, fallback, read, help, secret: false };
}

function secret<Value>(
  unit: string,
  fallback: string,
  read: (text: string) => Value,
  help: string,
): Setting<Value> {
  return { unit, fallback, read, help, secret: true };
}
