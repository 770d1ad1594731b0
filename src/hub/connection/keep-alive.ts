import type { HubLimits } from './hub-limits.ts';

/**
 * Who has been silent for how long. The hub pings a client to which it sent nothing for a while. A client is given up
 * after a silence only if it has ever pinged, for some never do; while a call of it runs its silence does not count.
 */
export interface KeepAlive {
  sent(): void;
  received(): void;
  /** The client pings, so its silence means something. */
  pinged(): void;
  /** What is due at this time. */
  due(time: number, isCalling: boolean): 'ping' | 'giveUp' | undefined;
}

export function createKeepAlive(
  { keepAliveMs, clientTimeoutMs }: Pick<HubLimits, 'keepAliveMs' | 'clientTimeoutMs'>,
  now: () => number,
): KeepAlive {
  let lastSent = now();
  let lastReceived = lastSent;
  let hasPinged = false;
  return {
    sent() {
      lastSent = now();
    },
    received() {
      lastReceived = now();
    },
    pinged() {
      hasPinged = true;
    },
    due(time, isCalling) {
      if (isCalling) lastReceived = time;
      else if (hasPinged && time - lastReceived >= clientTimeoutMs) return 'giveUp';
      return time - lastSent >= keepAliveMs ? 'ping' : undefined;
    },
  };
}
