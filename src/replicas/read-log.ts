import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '../log.ts';
import { CannotGoOn, MessagesLost, markOf } from './frame.ts';
import type { LogMessage, ReplicaLog } from './replica-log.ts';

export interface ReadLogOptions {
  readonly replicaLog: Pick<ReplicaLog, 'read'>;
  /** The message to begin with. */
  readonly from: number;
  /** What was applied last: where the log has another message in its place, it has lost messages. */
  readonly known: { readonly sequence: number; readonly mark: number };
  readonly take: (message: LogMessage, mark: number) => Promise<void>;
  /** The last message that the log is known to have. */
  readonly lastSeen: () => number;
  /** Ends the reading. */
  readonly signal: AbortSignal;
  readonly log: Pick<Log, 'warn'>;
}

/** Where the log has more, and nothing of it comes for so long, it is read anew (ms). */
const silenceMs = 2000;
const lookMs = 500;
const againMs = 500;

/** What is wrong where the log has another message in the place of one that was applied. */
export const otherMessage = (sequence: number): string =>
  `this node has applied another message ${sequence} than the log has there`;

/**
 * Reads the log until the signal aborts; what breaks off is begun again where it was. Rejects with CannotGoOn.
 */
export async function readLog({
  replicaLog,
  take,
  lastSeen,
  signal,
  log,
  ...start
}: ReadLogOptions): Promise<void> {
  let { from, known } = start;
  while (!signal.aborted) {
    const silent = new AbortController();
    let heardAt = performance.now();
    // What delivers messages lives on one server: where that dies it may end without a word.
    const watch = setInterval(() => {
      if (performance.now() - heardAt > silenceMs && lastSeen() >= from) silent.abort();
    }, lookMs);
    try {
      const handle = async (message: LogMessage): Promise<void> => {
        const mark = markOf(message.data);
        if (message.sequence === known.sequence && mark !== known.mark)
          throw new MessagesLost(otherMessage(known.sequence));
        if (message.sequence < from) return;
        await take(message, mark);
        heardAt = performance.now();
        from = message.sequence + 1;
        if (message.sequence > known.sequence) known = { sequence: message.sequence, mark };
      };
      await replicaLog.read(
        Math.min(from, Math.max(1, known.sequence)),
        handle,
        AbortSignal.any([signal, silent.signal]),
      );
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof CannotGoOn) throw error;
      log.warn({ error: (error as Error).message, from }, 'the log broke off; reading on');
    } finally {
      clearInterval(watch);
    }
    if (!signal.aborted) await pause(againMs);
  }
}
