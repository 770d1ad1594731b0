import { randomBytes } from 'node:crypto';
import type { Server } from 'node:net';
import type { SecureContextOptions } from 'node:tls';
import type { Admit } from '../auth/admit.ts';
import type { ByteBudget } from '../ingest/byte-budget.ts';
import type { LeastRate } from '../ingest/least-rate.ts';
import { limitTexts } from '../limit-notes.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import type { Reader } from '../store/store.ts';
import { type ConnectionParts, MqttConnection } from './connection.ts';
import type { MqttDoor } from './core.ts';
import { LastValues } from './last-values.ts';
import { listenMqtt, type MqttListener } from './listen.ts';
import { headBytes } from './packets.ts';
import { ReaderMemory } from './reader-memory.ts';
import { Rebirths } from './rebirths.ts';
import { Reason } from './refusals.ts';
import type { Session } from './session.ts';
import { type CountedSubscriptions, Sessions } from './sessions.ts';
import { Wills } from './wills.ts';

export interface MqttServerOptions {
  readonly door: MqttDoor;
  readonly address: { readonly host: string; readonly port: number };
  readonly tls: SecureContextOptions | undefined;
  readonly store: Reader;
  readonly admit: Admit;
  readonly budget: ByteBudget;
  readonly subscriptions: CountedSubscriptions;
  readonly settled: () => Promise<void>;
  /** Has the connections of a server count among those of all addresses. */
  readonly watch: (server: Server) => void;
  readonly metrics: Pick<Metrics, 'slowBodies'>;
  readonly connectTimeoutMs: number;
  readonly leastRate: LeastRate;
  readonly maxNameBytes: number;
  readonly maxMessageBytes: number;
  readonly maxQueueBytes: number;
  /** The most bytes that wait for all clients together. */
  readonly maxTotalQueueBytes: number;
  readonly log: Log;
}

/** The service as clients of MQTT reach it. */
export interface MqttServer {
  readonly url: string;
  /** Connections from now on get this certificate. */
  reloadTls(tls: SecureContextOptions): void;
  stop(): Promise<void>;
}

const tickMs = 1000;

/** Takes MQTT at an address; rejects where it cannot be had. */
export async function startMqttServer(options: MqttServerOptions): Promise<MqttServer> {
  const { door, metrics, log } = options;
  const passed = performance.now.bind(performance);
  const connections = new Set<MqttConnection>();
  // Counted once a second, as there may be very many.
  let leftOut = 0;
  const onLeftOut = (count: number): void => {
    leftOut += count;
  };
  const maxPacketBytes = options.maxMessageBytes + headBytes;
  const memory = new ReaderMemory(options.maxTotalQueueBytes);
  const wills = new Wills({ ...door, maxPacketBytes });
  const onEnded = (session: Session): void => wills.sessionEnded(session);
  const { subscriptions } = options;
  const sessions = new Sessions({ subscriptions, memory, onLeftOut, onEnded, now: passed });
  const onRefusedClient = limitTexts(passed, (times, reason) =>
    log.warn({ times, reason }, 'clients of MQTT were refused, or sent what cannot be read'),
  );
  const parts: ConnectionParts = {
    ...options,
    ...door,
    sessions,
    wills,
    rebirths: new Rebirths(passed),
    lastValues: new LastValues(options.store, onLeftOut),
    maxPacketBytes,
    outgoing: { memory, maxQueueBytes: options.maxQueueBytes },
    newId: () => `auto-${randomBytes(12).toString('hex')}`,
    now: passed,
    onRefusedClient,
  };
  const onSlow = (): void => metrics.slowBodies.inc();
  const listener: MqttListener = await listenMqtt({
    ...options.address,
    tls: options.tls,
    connectTimeoutMs: options.connectTimeoutMs,
    maxPacketBytes,
    onSlow,
    onArrived(arrived) {
      const onClosed = (closed: MqttConnection): void => void connections.delete(closed);
      connections.add(new MqttConnection(parts, { ...arrived, onClosed }));
    },
  });
  options.watch(listener.server);
  door.door.at([listener.url]);
  const clock = setInterval(() => {
    const now = passed();
    let inSockets = 0;
    for (const connection of connections) inSockets += connection.tick(now);
    memory.counted(inSockets);
    sessions.tick();
    if (leftOut > 0) door.door.refused('live_left_out', leftOut);
    leftOut = 0;
  }, tickMs);
  return {
    url: listener.url,
    reloadTls: listener.reloadTls,
    async stop() {
      clearInterval(clock);
      const closed = listener.close();
      for (const connection of [...connections]) connection.end(Reason.ShuttingDown);
      await wills.stop();
      await closed;
    },
  };
}
