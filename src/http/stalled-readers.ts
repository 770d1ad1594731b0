import type { Server, Socket } from 'node:net';
import { limitNotes } from '../limit-notes.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';

/**
 * Cuts connections whose clients do not take what is sent to them: an answer that nobody reads would hold its memory,
 * its snapshot and its part files for ever. So would one that is read a byte now and then, so a client has to take some
 * bytes a second, over the time that it is given. While nothing waits for a client its time does not run.
 *
 * This goes by connections, below everything that sends: answers of the lane and of the framework, whatever their form
 * and coding, and those of the hub.
 */
export interface StalledReaders {
  /** How often `tick` is to come, in milliseconds. */
  readonly tickMs: number;
  /** Looks at all connections. That ticks are late where the thread was busy is to nobody's harm. */
  tick(): void;
  /** Watches the connections that a server takes from now on. Call it when it listens. */
  watch(server: Server): void;
}

export interface StalledReadersOptions {
  /** How long a client may take too little; undefined cuts none. */
  readonly timeoutMs: number | undefined;
  readonly log: Pick<Log, 'warn'>;
  readonly metrics: Pick<Metrics, 'closedConnections'>;
}

/**
 * Bytes a second, as bodies have to bring by default. A finer rate would say little: the system sends from a buffer of its
 * own, some megabytes for a fast client, and takes more only when a third of it is empty.
 */
const leastBytesPerSecond = 256;

interface Reader {
  /** Bytes that the system had taken when its time began. */
  taken: number;
  /** Its time so far. */
  ms: number;
}

export function stalledReaders({ timeoutMs, log, metrics }: StalledReadersOptions): StalledReaders {
  const patienceMs = timeoutMs ?? Number.POSITIVE_INFINITY;
  const tickMs = Math.min(1000, Math.ceil(patienceMs / 10));
  const least = (leastBytesPerSecond * patienceMs) / 1000;
  const readers = new Map<Socket, Reader>();
  const note = limitNotes(performance.now.bind(performance), (times) =>
    log.warn({ times }, 'clients did not take what was sent to them and were cut; see --write-timeout'),
  );
  metrics.closedConnections.inc({ reason: 'stalled' }, 0);

  const look = (socket: Socket, reader: Reader): void => {
    const { waiting, taken } = sendingOf(socket);
    if (waiting === 0 || taken - reader.taken >= least) {
      reader.taken = taken;
      reader.ms = 0;
      return;
    }
    reader.ms += tickMs;
    if (reader.ms < patienceMs) return;
    metrics.closedConnections.inc({ reason: 'stalled' });
    note();
    // The system lets go of its buffer, too.
    socket.resetAndDestroy();
  };

  return {
    tickMs,

    tick() {
      for (const [socket, reader] of readers) look(socket, reader);
    },

    watch(server) {
      if (timeoutMs === undefined) return;
      server.on('connection', (socket: Socket) => {
        // A connection whose upgrade is refused comes twice.
        if (readers.has(socket)) return;
        readers.set(socket, { taken: 0, ms: 0 });
        socket.once('close', () => readers.delete(socket));
      });
    },
  };
}

interface Sending {
  /** Bytes that the system has yet to take. */
  readonly waiting: number;
  /** Bytes that it has taken. */
  readonly taken: number;
}

/**
 * A socket itself tells of whole writes only, and one may be a large answer; below TLS it tells nothing. Its handle knows
 * how far the write is that goes on. Node's own idle timer reads the same.
 */
function sendingOf(socket: Socket): Sending {
  const { _handle: handle } = socket as Socket & {
    readonly _handle?: { readonly bytesWritten: number; readonly writeQueueSize: number } | null;
  };
  if (handle === undefined || handle === null) return { waiting: 0, taken: 0 };
  const waiting = handle.writeQueueSize;
  return { waiting, taken: handle.bytesWritten - waiting };
}
