import type { Metrics } from '../metrics.ts';
import type { TransportName } from './transport.ts';

/** Counts what the hub does. Labels are looked up once, not at every message. */
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
  return {
    answered: (route, status) => requests.inc({ route, status }),
    attached: (transport) => hubConnections.inc({ transport }),
    detached: (transport) => hubConnections.dec({ transport }),
    received: (bytes) => hubBytesReceived.inc(bytes),
    sent(bytes) {
      hubMessagesSent.inc();
      hubBytesSent.inc(bytes);
    },
    readerTooSlow: () => metrics.hubReadersTooSlow.inc(),
    readerLetGo() {
      metrics.hubReadersLetGo.inc();
      onLetGo();
    },
    invocationsOf(method) {
      const succeeded = hubInvocations.labels({ method, outcome: 'ok' });
      const failed = hubInvocations.labels({ method, outcome: 'error' });
      return { succeeded: () => succeeded.inc(), failed: () => failed.inc() };
    },
  };
}
