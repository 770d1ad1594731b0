import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { collectNodeMetrics } from './loop-delay.ts';

/** What `/metrics` shows, in Prometheus' words. One set per service; every room counts into the one it was given. */
export interface Metrics {
  readonly registry: Registry;
  /** Requests by route (its pattern, never the address) and status. */
  readonly requests: Counter<'route' | 'status'>;
  readonly requestSeconds: Histogram<'route'>;
  /** Requests that were not let in, or got no memory, by the code of their error. */
  readonly refusedRequests: Counter<'reason'>;
  /** Connections of clients, WebSockets too. */
  readonly connections: Gauge;
  /** Connections that a limit has closed, by the limit. */
  readonly closedConnections: Counter<'reason'>;
  /** Bodies and messages that came slower than the least rate. */
  readonly slowBodies: Counter;
  readonly rowsWritten: Counter;
  readonly valuesWritten: Counter;
  /** Writes of a stream that had nothing to store: no row with a value, no event. */
  readonly emptyWrites: Counter;
  /** Rows that were acknowledged and not kept, for they are older than the retention of their topic. */
  readonly rowsExpired: Counter;
  /** Messages that came through a door, the protocol of another program, and were taken, wholly or in part. */
  readonly doorMessages: Counter<'door'>;
  /** Rows that they brought. */
  readonly doorRows: Counter<'door'>;
  /** Messages that were refused, by the code of their error, and parts of others, by what is wrong with them. */
  readonly doorRefused: Counter<'door' | 'reason'>;
  readonly rowsRead: Counter;
  /** Queries that took longer than `--slow-query`. */
  readonly slowQueries: Counter<'route'>;
  /** The event loop was looked at so late, in milliseconds. */
  readonly loopDelay: (ms: number) => void;
  /** Turns of the event loop that took too long, by what most of them was. */
  readonly longTurns: Counter<'work'>;
  /** Tries to send a message to a webhook, by `delivered` or `failed`. */
  readonly webhookTries: Counter<'outcome'>;
  /** Messages to webhooks that are not sent any more, by why: `given_up` or `no_room`. */
  readonly webhookMessagesLost: Counter<'reason'>;
  /** Rows that were left out because they are too far ahead of the clock, by whom: `rules`, once for each, or `live`. */
  readonly rowsAhead: Counter<'by'>;
  readonly hubConnections: Gauge<'transport'>;
  /** Calls by the method's name and `ok` or `error`. */
  readonly hubInvocations: Counter<'method' | 'outcome'>;
  readonly hubMessagesSent: Counter;
  readonly hubBytesSent: Counter;
  readonly hubBytesReceived: Counter;
  readonly hubReadersTooSlow: Counter;
  readonly hubReadersLetGo: Counter;
  /** Inserts into ClickHouse, each attempt that was acknowledged. */
  readonly insertSeconds: Histogram;
  readonly insertFailures: Counter;
  /** `tell` is called before requests are read, so that whoever answers many of them can count them in batches. */
  readonly beforeReading: (tell: () => void) => void;
}

/** A figure that is read when someone asks; one that only rises is a counter, and its name ends with `_total`. */
export interface Reading {
  readonly name: string;
  readonly help: string;
  readonly value: () => number;
}

const nothing = (): void => undefined;

/** Has figures be read when somebody asks for all. */
function register(readings: readonly Reading[], registers: Registry[]): void {
  for (const { name, help, value } of readings) {
    if (name.endsWith('_total')) {
      new Counter({
        name,
        help,
        registers,
        collect() {
          this.reset();
          this.inc(value());
        },
      });
    } else {
      new Gauge({
        name,
        help,
        registers,
        collect() {
          this.set(value());
        },
      });
    }
  }
}

export function createMetrics(readings: readonly Reading[] = []): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const loopDelay = collectNodeMetrics(registry);
  register(readings, registers);
  const counter = <Label extends string>(
    name: string,
    help: string,
    labelNames: Label[] = [],
    collect = nothing,
  ) => new Counter<Label>({ name, help, labelNames, registers, collect });
  const gauge = <Label extends string>(name: string, help: string, labelNames: Label[] = []) =>
    new Gauge<Label>({ name, help, labelNames, registers });
  const tellers: (() => void)[] = [];
  const collect = () => {
    for (const tell of tellers) tell();
  };
  return {
    registry,
    loopDelay,
    beforeReading: (tell) => tellers.push(tell),
    requests: counter(
      'pitwall_http_requests_total',
      'Answered requests by route and status',
      ['route', 'status'],
      collect,
    ),
    requestSeconds: new Histogram({
      name: 'pitwall_http_request_seconds',
      help: 'Time from the head of a request to the end of its answer',
      labelNames: ['route'],
      // A group commit takes a millisecond on a good disk; beyond ten seconds clients give up.
      buckets: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10],
      registers,
      collect,
    }),
    refusedRequests: counter(
      'pitwall_refused_requests_total',
      'Requests that were refused for their token or for want of memory, by the code of the error',
      ['reason'],
    ),
    connections: gauge('pitwall_connections', 'Connections of clients'),
    closedConnections: counter(
      'pitwall_closed_connections_total',
      'Connections that a limit has closed, by the limit: too_many, too_many_of_address, silent, slow, stalled',
      ['reason'],
    ),
    slowBodies: counter(
      'pitwall_slow_bodies_total',
      'Bodies, and messages to the hub, that were given up because they came too slowly',
    ),
    rowsWritten: counter('pitwall_rows_written_total', 'Rows acknowledged'),
    valuesWritten: counter(
      'pitwall_values_written_total',
      'Cells acknowledged: rows times their parameters, gaps included',
    ),
    emptyWrites: counter(
      'pitwall_empty_writes_total',
      'Writes of a stream of which nothing was stored, for no row has a value',
    ),
    rowsExpired: counter(
      'pitwall_rows_expired_total',
      'Rows that were acknowledged and not kept, for they are older than the retention of their topic',
    ),
    doorMessages: counter(
      'pitwall_door_messages_total',
      'Messages in the protocols of other programs that were taken, wholly or in part, by door',
      ['door'],
    ),
    doorRows: counter('pitwall_door_rows_total', 'Rows that they brought', ['door']),
    doorRefused: counter(
      'pitwall_door_refused_total',
      'Messages, or parts of them, that a door did not take, by reason',
      ['door', 'reason'],
    ),
    rowsRead: counter('pitwall_rows_read_total', 'Rows answered'),
    slowQueries: counter(
      'pitwall_slow_queries_total',
      'Queries that took longer than --slow-query, by route',
      ['route'],
    ),
    longTurns: counter(
      'pitwall_long_turns_total',
      'Turns of the event loop of more than 50 ms, by what most of them was',
      ['work'],
    ),
    webhookTries: counter(
      'pitwall_webhook_tries_total',
      'Tries to send a message to a webhook, by outcome (delivered, failed)',
      ['outcome'],
    ),
    webhookMessagesLost: counter(
      'pitwall_webhook_messages_lost_total',
      'Messages to webhooks that are not sent any more, by reason: given_up, no_room',
      ['reason'],
    ),
    rowsAhead: counter(
      'pitwall_rows_ahead_total',
      "Rows further ahead of the service's clock than --rows-ahead: of writes, which keep them; left out by rules (once for each rule) and live",
      ['by'],
    ),
    hubConnections: gauge('pitwall_hub_connections', 'Connections of the hub by transport', ['transport']),
    hubInvocations: counter(
      'pitwall_hub_invocations_total',
      'Calls of methods of the hub by method and outcome (ok, error)',
      ['method', 'outcome'],
      collect,
    ),
    hubMessagesSent: counter(
      'pitwall_hub_messages_sent_total',
      'Messages of the hub to clients: completions, events, pings',
      [],
      collect,
    ),
    hubBytesSent: counter(
      'pitwall_hub_bytes_sent_total',
      'Bytes of messages of the hub to clients',
      [],
      collect,
    ),
    hubBytesReceived: counter(
      'pitwall_hub_bytes_received_total',
      'Bytes of messages of clients to the hub',
      [],
      collect,
    ),
    hubReadersTooSlow: counter(
      'pitwall_hub_readers_too_slow_total',
      'Connections of the hub that were closed because their reader was too slow',
    ),
    hubReadersLetGo: counter(
      'pitwall_hub_readers_let_go_total',
      'Those of them that were the furthest behind while all readers together waited for too much',
    ),
    insertSeconds: new Histogram({
      name: 'pitwall_insert_seconds',
      help: 'Time of inserts into ClickHouse until they were acknowledged',
      buckets: [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30],
      registers,
    }),
    insertFailures: counter(
      'pitwall_insert_failures_total',
      'Attempts to insert into ClickHouse that failed; each is made again until its requests are given up',
    ),
  };
}
