import type { Metrics } from '../../metrics.ts';
import type { TransportName } from './transport.ts';

/**
 * Counts what the hub does. What every message and call counts is added up here, and told when someone asks: a counter
 * costs more than a number.
 */
export interface HubMeter {
  /** A request was answered; by the route's pattern. */
  answered(route: string, status: number): void;
  attached(transport: TransportName): void;
  detached(transport: TransportName): void;
  received(bytes: number): void;
  /** A message was queued for a client. */
  sent(bytes: number): void;
  readerTooSlow(): void;
  /** One of these, because all together waited for too much. */
  readerLetGo(): void;
  /** Counts the calls of a method by their outcome; a name that no method has counts as `unknown`. */
  invocationsOf(method: string): { succeeded(): void; failed(): void };
}

/** @param onLetGo a reader was let go of: for the log */
export function createHubMeter(metrics: Metrics, onLetGo: () => void = () => {}): HubMeter {
  const { requests, hubConnections, hubInvocations, hubMessagesSent, hubBytesSent, hubBytesReceived } =
    metrics;
  for (const transport of ['WebSockets', 'ServerSentEvents', 'LongPolling'] satisfies TransportName[])
    hubConnections.set({ transport }, 0);
  let messagesSent = 0;
  let bytesSent = 0;
  let bytesReceived = 0;
  metrics.beforeReading(() => {
    hubMessagesSent.inc(messagesSent);
    hubBytesSent.inc(bytesSent);
    hubBytesReceived.inc(bytesReceived);
    messagesSent = 0;
    bytesSent = 0;
    bytesReceived = 0;
  });
  return {
    answered: (route, status) => requests.inc({ route, status }),
    attached: (transport) => hubConnections.inc({ transport }),
    detached: (transport) => hubConnections.dec({ transport }),
    received(bytes) {
      bytesReceived += bytes;
    },
    sent(bytes) {
      messagesSent++;
      bytesSent += bytes;
    },
    readerTooSlow: () => metrics.hubReadersTooSlow.inc(),
    readerLetGo() {
      metrics.hubReadersLetGo.inc();
      onLetGo();
    },
    invocationsOf(method) {
      const ok = hubInvocations.labels({ method, outcome: 'ok' });
      const error = hubInvocations.labels({ method, outcome: 'error' });
      let succeeded = 0;
      let failed = 0;
      metrics.beforeReading(() => {
        ok.inc(succeeded);
        error.inc(failed);
        succeeded = 0;
        failed = 0;
      });
      return {
        succeeded() {
          succeeded++;
        },
        failed() {
          failed++;
        },
      };
    },
  };
}
