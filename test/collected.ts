import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** So many collections in a row have to find nothing: it is threads of the engine that give memory back, when they come to it. */
const atRest = 3;
const mostCollections = 60;

/**
 * What is in use when the collector finds nothing more to free. Files that measure it are named in `scripts/test/units.js`: they
 * have a process of their own.
 * @param read gives bytes, as of `process.memoryUsage()`
 */
export async function bytesInUse(read: () => number): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let [i, same] = [0, 0]; i < mostCollections && same < atRest; i++, same++) {
    collect();
    await pause(5);
    const bytes = read();
    // A few objects come and go by themselves.
    if (bytes < least - 4096) same = 0;
    least = Math.min(least, bytes);
  }
  return least;
}

export const heapInUse = (): Promise<number> => bytesInUse(() => process.memoryUsage().heapUsed);
