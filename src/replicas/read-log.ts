import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '../log.ts';
import { CannotGoOn, MessagesLost, markOf } from './frame.ts';
import type { LogMessage } from './log-streams.ts';
import type { ReplicaLog } from './nats-log.ts';

export interface ReadLogOptions {
  readonly replicaLog: Pick<ReplicaLog, 'read' | 'messageAt'>;
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
/** What does not come for so long is asked for, one message after the other (ms). */
const lateMs = 300;
const lookMs = 100;
const againMs = 500;

/** What is wrong where the log has another message in the place of one that was applied. */
export const otherMessage = (sequence: number): string =>
  `this node has applied another message ${sequence} than the log has there`;

/**
 * Reads the log until the signal aborts; what breaks off is begun again where it was. Rejects with CannotGoOn.
 */
export async function readLog(options: ReadLogOptions): Promise<void> {
  const { replicaLog, take, lastSeen, signal, log } = options;
  let { from, known } = options;
  const handle = async (message: LogMessage): Promise<void> => {
    const mark = markOf(message.data);
    if (message.sequence === known.sequence && mark !== known.mark)
      throw new MessagesLost(otherMessage(known.sequence));
    if (message.sequence < from) return;
    await take(message, mark);
    from = message.sequence + 1;
    if (message.sequence > known.sequence) known = { sequence: message.sequence, mark };
  };
  /** Settles when all is handled that has come; where one message cannot be, none behind it is, until all is read anew. */
  let handled = Promise.resolve();
  const inTurn = (message: LogMessage): Promise<void> => {
    handled = handled.then(() => handle(message));
    return handled;
  };
  while (!signal.aborted) {
    const silent = new AbortController();
    const begun = Math.min(from, Math.max(1, known.sequence));
    let [came, cameAt, isHandling, isAsking] = [begun - 1, performance.now(), false, false];
    let isBroken = false;
    // What delivers messages lives on one server: where that dies it may end without a word, and there may be no other for seconds.
    const watch = setInterval(() => {
      if (isHandling || isAsking || lastSeen() <= came) return;
      const ms = performance.now() - cameAt;
      if (ms > silenceMs) silent.abort();
      if (ms < lateMs || lastSeen() < from) return;
      isAsking = true;
      void askUpTo(lastSeen()).finally(() => {
        isAsking = false;
      });
    }, lookMs);
    const askUpTo = async (last: number): Promise<void> => {
      while (from <= last && !signal.aborted) {
        const message = await replicaLog.messageAt(from).catch(() => undefined);
        if (message === undefined) return;
        try {
          await inTurn(message);
        } catch {
          silent.abort();
          return;
        }
      }
    };
    try {
      const read = async (message: LogMessage): Promise<void> => {
        isHandling = true;
        await inTurn(message);
        isHandling = false;
        came = message.sequence;
        cameAt = performance.now();
      };
      await replicaLog.read(begun, read, AbortSignal.any([signal, silent.signal]));
      await handled;
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof CannotGoOn) throw error;
      // Behind one that is still being handled.
      handled = handled.catch(() => undefined);
      isBroken = true;
      log.warn({ error: (error as Error).message, from }, 'the log broke off; reading on');
    } finally {
      clearInterval(watch);
    }
    if (!signal.aborted && (isBroken || !silent.signal.aborted)) await pause(againMs);
  }
}
