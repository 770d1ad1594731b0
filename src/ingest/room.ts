import { PitwallError } from '../errors.ts';
import type { Appender } from '../store/store.ts';

/** How long a write waits for the store to make room before it is sent away, to try again. */
const patienceMs = 10_000;

/**
 * Back-pressure: undefined when the store takes a batch now, else a promise that resolves when it does, or rejects
 * with `overloaded` (503) when that takes too long.
 */
export function waitForRoom(store: Pick<Appender, 'room'>, patience = patienceMs): Promise<void> | undefined {
  const room = store.room();
  return room === undefined ? undefined : queue(store, room, patience);
}

async function queue(store: Pick<Appender, 'room'>, first: Promise<void>, patience: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(
        new PitwallError('overloaded', {
          detail: 'writes come faster than the disk takes them; try again soon',
        }),
      );
    }, patience);
  });
  try {
    // Others may have taken the room by the time that this one wakes up.
    for (let room: Promise<void> | undefined = first; room !== undefined; room = store.room()) {
      await Promise.race([room, tooLong]);
    }
  } finally {
    clearTimeout(timer);
  }
}
