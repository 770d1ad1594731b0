import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '../log.ts';

/** Something outside that a start needs, and that may come up later than this process. */
export interface Needed<Brought> {
  /** As operators know it, without passwords. */
  readonly name: string;
  /** Resolves with what it brings, or rejects. */
  attempt(): Promise<Brought>;
  /** Whether trying again is useless: the start then ends with this error. */
  isFinal(error: unknown): boolean;
  /** Why an attempt failed, in a few words, without passwords. */
  reason(error: unknown): string;
  /** Lets go of what an attempt brought when nobody waited for it any more. */
  abandon(brought: Brought): void;
}

export interface Waiting {
  readonly log: Log;
  /** Ends the waiting, which then rejects with its reason. */
  readonly signal: AbortSignal;
  /** Between attempts (ms): what comes up is there for its first user within a second. */
  readonly pauseMs?: number;
  /** How often the log says that it still waits (ms). */
  readonly tellMs?: number;
}

/** Tries until it succeeds, however long that takes, and tells the log: at first, and then every few seconds. */
export async function waitFor<Brought>(needed: Needed<Brought>, waiting: Waiting): Promise<Brought> {
  const { log, signal, pauseMs = 500, tellMs = 5000 } = waiting;
  const began = performance.now();
  const seconds = () => Math.round((performance.now() - began) / 1000);
  let reason = 'no answer yet';
  let isTold = false;
  const tell = (): void => {
    log.warn(
      { reason, seconds: seconds() },
      isTold ? `still waiting for ${needed.name}, for ${seconds()} s now` : `waiting for ${needed.name}`,
    );
    isTold = true;
  };
  const clock = setInterval(tell, tellMs);
  try {
    for (;;) {
      try {
        const brought = await unlessAborted(needed.attempt(), signal, needed.abandon);
        if (isTold) log.info({ seconds: seconds() }, `${needed.name} is there`);
        return brought;
      } catch (error) {
        if (signal.aborted || needed.isFinal(error)) throw error;
        reason = needed.reason(error);
        if (!isTold) tell();
      }
      await pause(pauseMs, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  } finally {
    clearInterval(clock);
  }
}

async function unlessAborted<T>(
  coming: Promise<T>,
  signal: AbortSignal,
  abandon: (brought: T) => void,
): Promise<T> {
  let stop = (): void => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => {
      reject(signal.reason);
      coming.then(abandon, () => undefined);
    };
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([coming, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** An address as it may be shown: without the user and the password that stand before its host. */
export function withoutLogin(address: string): string {
  return address.replace(/\/\/.*@/, '//');
}
