import type { WaitingMessage } from './waiting.ts';

/**
 * Tells how long ago (ms) a message was written. What has passed since it was seen first is measured: a clock that is set
 * meanwhile, ahead or back, makes no message older or younger.
 *
 * @param now milliseconds since the Unix epoch
 * @param monotonic milliseconds of a clock that is never set
 */
export function messageAges(now: () => number, monotonic: () => number): (one: WaitingMessage) => number {
  const written = new WeakMap<WaitingMessage, number>();
  return (one) => {
    const passed = monotonic();
    const at = written.get(one) ?? passed - Math.max(0, now() - one.message.at);
    written.set(one, at);
    return passed - at;
  };
}
