import { PitwallError } from '../errors.ts';
import { nextTurn } from '../turns/rest.ts';
import type { ReplicaLog } from './nats-log.ts';

/** Lets requests wait until so much of the log is applied. */
export interface Reach {
  /** Resolves when the message of this number is applied. Rejects with `not_ready` (503) where that takes more than five seconds. */
  reached(sequence: number): Promise<void>;
  /** All up to this message is applied. */
  applied(sequence: number): void;
}

const patienceMs = 5000;

/** @param start the message up to which all is applied */
export function createReach(start: number): Reach {
  let last = start;
  /** What lets those go who wait, and for what they do. */
  const waiting = new Map<() => void, number>();
  return {
    reached(wanted) {
      if (wanted <= last) return Promise.resolve();
      return new Promise((resolve, reject) => {
        const patience = setTimeout(() => {
          waiting.delete(go);
          const detail = `this node has applied message ${last} of the log, and not ${wanted} yet`;
          reject(new PitwallError('not_ready', { detail }));
        }, patienceMs);
        const go = (): void => {
          clearTimeout(patience);
          waiting.delete(go);
          resolve();
        };
        waiting.set(go, wanted);
      });
    },
    applied(sequence) {
      last = sequence;
      for (const [go, wanted] of waiting) if (wanted <= sequence) go();
    },
  };
}

/** Lets reads wait until all is applied that the log had as they came; those that came before it was asked share its answer. */
export function createBarrier(
  log: Pick<ReplicaLog, 'extent'>,
  reached: Reach['reached'],
): () => Promise<void> {
  let asking: Promise<void> | undefined;
  return () => {
    asking ??= nextTurn().then(async () => {
      asking = undefined;
      const { last } = await log.extent().catch((error: unknown) => {
        throw new PitwallError('not_ready', {
          detail: `the log cannot be asked how far it is: ${(error as Error).message}`,
        });
      });
      await reached(last);
    });
    return asking;
  };
}
