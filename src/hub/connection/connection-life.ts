import { PitwallError } from '../../errors.ts';
import type { Log } from '../../log.ts';
import { deadlineOf } from './deadlines.ts';
import type { HubLimits } from './hub-limits.ts';
import { type LifecycleEvent, type State, type Step, step } from './lifecycle.ts';

/** Where a connection is in its life: it walks the table of `lifecycle.ts`, and keeps to the deadline of each state. */
export interface ConnectionLife {
  readonly state: State;
  /** Something has happened; `reason` is for the client, where the step tells it one. */
  apply(event: LifecycleEvent, reason?: string): void;
  /** Does something; what goes wrong with it ends this connection, and no other. */
  attempt(action: () => void): void;
  /** Looks whether the state has lasted too long; `isSlow` means that the reader was too slow. */
  checkDeadline(time: number, isSlow: boolean): void;
}

export interface ConnectionLifeParts {
  /** The connection's public id. */
  readonly id: string;
  readonly limits: HubLimits;
  /** Milliseconds, from any origin. */
  readonly now: () => number;
  readonly log: Log;
  /**
   * What the step asks for. It may lead to the next event before it returns, so what follows goes by the step, not by
   * the state.
   */
  readonly onStep: (taken: Step, reason: string) => void;
}

export function createConnectionLife({ id, limits, now, log, onStep }: ConnectionLifeParts): ConnectionLife {
  let since = now();

  const apply = (event: LifecycleEvent, reason = ''): void => {
    const next = step(life.state, event);
    if (next === undefined) return;
    log.debug({ connection: id, from: life.state, event, to: next.to, reason }, 'hub connection');
    life.state = next.to;
    since = now();
    onStep(next, reason);
  };

  const life = {
    state: 'negotiated' as State,
    apply,

    attempt(action: () => void) {
      try {
        action();
      } catch (error) {
        if (error instanceof PitwallError) {
          apply('faulted', `${error.message} (${error.code})`);
        } else {
          log.error({ err: error, connection: id }, 'a connection of the hub failed');
          apply('faulted', 'The service failed.');
        }
      }
    },

    checkDeadline(time: number, isSlow: boolean) {
      const deadline = deadlineOf(life.state, limits, isSlow);
      if (deadline !== undefined && time - since >= deadline.afterMs) apply('expired', deadline.reason);
    },
  };
  return life;
}
