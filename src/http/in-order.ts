import { PitwallError } from '../errors.ts';
import type { Route } from './route.ts';

/** How far this node has applied the log of its replicas. */
export interface LogOrder {
  /** The number of the last applied message. */
  sequence(): number;
  /** Resolves when the message of this number is applied. Rejects with `not_ready` (503) where that takes too long. */
  reached(sequence: number): Promise<void>;
  /** Resolves when all is applied that the log had at the call; undefined where reads do not wait for that. */
  readonly barrier: (() => Promise<void>) | undefined;
}

/**
 * The header of answers that tells how far the node is: after a write at least as far as that write. A request with it waits until its node
 * is as far: so who writes to one node and reads from another sees what was written.
 */
export const sequenceHeader = 'Pitwall-Sequence';

/** The route of a node among replicas. */
export function inOrder(route: Route, order: LogOrder): Route {
  if (route.interface === 'service' || route.interface === 'explorer') return route;
  const { barrier } = order;
  const isRead = route.interface === 'query';
  return {
    ...route,
    requestHeaders: {
      ...route.requestHeaders,
      [sequenceHeader]: 'Waits until this node has applied that message of the log',
    },
    answerHeaders: {
      ...route.answerHeaders,
      [sequenceHeader]: 'The last message of the log that this node has applied',
    },
    async handle(call) {
      if (isRead && barrier !== undefined) await barrier();
      const answer = await route.handle(call);
      return { ...answer, headers: { ...answer.headers, [sequenceHeader]: String(order.sequence()) } };
    },
  };
}

/** Waits until the node is as far as the header of a request says; before anything is looked up, tokens too. */
export async function reachedOf(given: unknown, order: LogOrder): Promise<void> {
  if (given === undefined) return;
  if (typeof given !== 'string' || !/^\d{1,15}$/.test(given))
    throw new PitwallError('invalid_value', {
      detail: `the header ${sequenceHeader} must be a number that an answer had in it`,
    });
  await order.reached(Number(given));
}
