import type { MessagePort } from 'node:worker_threads';
import { PitwallError } from '../../../errors.ts';
import type { FindHelp, PortionSource } from '../read/portions.ts';
import type { FromHelper, ToHelper } from './portion-messages.ts';
import { namesOf, sentPlans } from './sent-streams.ts';
import { errorTold } from './told-error.ts';

/** Gives portions of a read to other threads. */
export interface PortionGiver {
  readonly findHelp: FindHelp;
  /** Another thread takes portions through this port; where there is nothing to take it is closed. */
  helper(port: MessagePort): void;
}

/** The portions that a thread has at a time: one that it works on, and the next one. */
const ahead = 2;

/**
 * @param leastMs less work than that is not shared
 * @param ask asks the main thread for others, of so much work (ms)
 */
export function portionGiver(leastMs: number, ask: (leftMs: number) => void): PortionGiver {
  let source: PortionSource | undefined;
  const ports = new Set<MessagePort>();

  function serve(port: MessagePort, of: PortionSource): void {
    const taken = new Set<number>();
    const tell = (message: ToHelper, given: readonly ArrayBuffer[] = []) => port.postMessage(message, given);
    const giveNext = (): void => {
      while (taken.size < ahead) {
        const portion = of.take();
        if (portion === undefined) return;
        const { number, bound } = portion;
        taken.add(number);
        const names = [...namesOf([bound])];
        const { plans, given } = sentPlans([bound]);
        tell({ type: 'portion', number, plans, names }, given);
      }
    };
    const take = (message: FromHelper): void => {
      if (source !== of) return;
      switch (message.type) {
        case 'ready':
          tell({ type: 'work', work: of.work });
          break;
        case 'rows': {
          const { number, rows } = message;
          taken.delete(number);
          of.give(number, rows, () => tell({ type: 'joined', number }));
          break;
        }
        default:
          of.fail(errorTold(message.error));
          return;
      }
      giveNext();
    };
    ports.add(port);
    port.on('message', take);
    // Rows that could not be unpacked here, for want of memory: they are lost, and the read with them.
    port.on('messageerror', (error) => {
      if (source === of) of.fail(error);
    });
    port.on('close', () => {
      ports.delete(port);
      if (source === of && taken.size > 0)
        of.fail(
          new PitwallError('read_interrupted', { detail: 'a thread that read a part of it has ended' }),
        );
    });
  }

  return {
    findHelp(found, leftMs) {
      if (leftMs < leastMs) return undefined;
      source = found;
      ask(leftMs);
      return () => {
        source = undefined;
        for (const port of ports) port.close();
      };
    },
    helper(port) {
      if (source === undefined) port.close();
      else serve(port, source);
    },
  };
}
