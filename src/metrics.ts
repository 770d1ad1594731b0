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

export function createMetrics(readings: readonly Reading[] = []): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const loopDelay = collectNodeMetrics(registry);
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
  const tellers: (() => void)[] = [];
  const collect = () => {
    for (const tell of tellers) tell();
  };
  return {
    registry,
    loopDelay,
    beforeReading: (tell) => tellers.push(tell),
    requests: new Counter({
      name: 'pitwall_http_requests_total',
      help: 'Answered requests by route and status',
      labelNames: ['route', 'status'],
      registers,
      collect,
    }),
    requestSeconds: new Histogram({
      name: 'pitwall_http_request_seconds',
      help: 'Time from the head of a request to the end of its answer',
      labelNames: ['route'],
      // A group commit takes a millisecond on a good disk; beyond ten seconds clients give up.
      buckets: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10],
      registers,
      collect,
    }),
    refusedRequests: new Counter({
      name: 'pitwall_refused_requests_total',
      help: 'Requests that were refused for their token or for want of memory, by the code of the error',
      labelNames: ['reason'],
      registers,
    }),
    connections: new Gauge({
      name: 'pitwall_connections',
      help: 'Connections of clients',
      registers,
    }),
    closedConnections: new Counter({
      name: 'pitwall_closed_connections_total',
      help: 'Connections that a limit has closed, by the limit: too_many, too_many_of_address, silent, slow, stalled',
      labelNames: ['reason'],
      registers,
    }),
    slowBodies: new Counter({
      name: 'pitwall_slow_bodies_total',
      help: 'Bodies, and messages to the hub, that were given up because they came too slowly',
      registers,
    }),
    rowsWritten: new Counter({ name: 'pitwall_rows_written_total', help: 'Rows acknowledged', registers }),
    valuesWritten: new Counter({
      name: 'pitwall_values_written_total',
      help: 'Cells acknowledged: rows times their parameters, gaps included',
      registers,
    }),
    emptyWrites: new Counter({
      name: 'pitwall_empty_writes_total',
      help: 'Writes of a stream of which nothing was stored, for no row has a value',
      registers,
    }),
    doorMessages: new Counter({
      name: 'pitwall_door_messages_total',
      help: 'Messages in the protocols of other programs that were taken, wholly or in part, by door',
      labelNames: ['door'],
      registers,
    }),
    doorRows: new Counter({
      name: 'pitwall_door_rows_total',
      help: 'Rows that they brought',
      labelNames: ['door'],
      registers,
    }),
    doorRefused: new Counter({
      name: 'pitwall_door_refused_total',
      help: 'Messages, or parts of them, that a door did not take, by reason',
      labelNames: ['door', 'reason'],
      registers,
    }),
    rowsRead: new Counter({ name: 'pitwall_rows_read_total', help: 'Rows answered', registers }),
    slowQueries: new Counter({
      name: 'pitwall_slow_queries_total',
      help: 'Queries that took longer than --slow-query, by route',
      labelNames: ['route'],
      registers,
    }),
    longTurns: new Counter({
      name: 'pitwall_long_turns_total',
      help: 'Turns of the event loop of more than 50 ms, by what most of them was',
      labelNames: ['work'],
      registers,
    }),
    webhookTries: new Counter({
      name: 'pitwall_webhook_tries_total',
      help: 'Tries to send a message to a webhook, by outcome (delivered, failed)',
      labelNames: ['outcome'],
      registers,
    }),
    webhookMessagesLost: new Counter({
      name: 'pitwall_webhook_messages_lost_total',
      help: 'Messages to webhooks that are not sent any more, by reason: given_up, no_room',
      labelNames: ['reason'],
      registers,
    }),
    rowsAhead: new Counter({
      name: 'pitwall_rows_ahead_total',
      help: "Rows further ahead of the service's clock than --rows-ahead: of writes, which keep them; left out by rules (once for each rule) and live",
      labelNames: ['by'],
      registers,
    }),
    hubConnections: new Gauge({
      name: 'pitwall_hub_connections',
      help: 'Connections of the hub by transport',
      labelNames: ['transport'],
      registers,
    }),
    hubInvocations: new Counter({
      name: 'pitwall_hub_invocations_total',
      help: 'Calls of methods of the hub by method and outcome (ok, error)',
      labelNames: ['method', 'outcome'],
      registers,
      collect,
    }),
    hubMessagesSent: new Counter({
      name: 'pitwall_hub_messages_sent_total',
      help: 'Messages of the hub to clients: completions, events, pings',
      registers,
      collect,
    }),
    hubBytesSent: new Counter({
      name: 'pitwall_hub_bytes_sent_total',
      help: 'Bytes of messages of the hub to clients',
      registers,
      collect,
    }),
    hubBytesReceived: new Counter({
      name: 'pitwall_hub_bytes_received_total',
      help: 'Bytes of messages of clients to the hub',
      registers,
      collect,
    }),
    hubReadersTooSlow: new Counter({
      name: 'pitwall_hub_readers_too_slow_total',
      help: 'Connections of the hub that were closed because their reader was too slow',
      registers,
    }),
    hubReadersLetGo: new Counter({
      name: 'pitwall_hub_readers_let_go_total',
      help: 'Those of them that were the furthest behind while all readers together waited for too much',
      registers,
    }),
    insertSeconds: new Histogram({
      name: 'pitwall_insert_seconds',
      help: 'Time of inserts into ClickHouse until they were acknowledged',
      buckets: [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30],
      registers,
    }),
    insertFailures: new Counter({
      name: 'pitwall_insert_failures_total',
      help: 'Attempts to insert into ClickHouse that failed; each is made again until its requests are given up',
      registers,
    }),
  };
}
