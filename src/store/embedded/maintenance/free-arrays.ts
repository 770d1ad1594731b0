import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** The most bytes of arrays that nobody uses any more. */
const maxLeftBytes = 8 * 1024 * 1024;

let collect: (() => void) | undefined;
/** The least that arrays of this thread took since they were freed: these are in use. */
let least = Number.POSITIVE_INFINITY;

/**
 * Gives back the memory of arrays that this thread no longer uses, once they are many. By itself the engine waits until they
 * take some 30 MB, because it looks at objects, which are few and small here. To be called where little is in use.
 */
export function freeArrays(): void {
  const { external_memory: bytes } = getHeapStatistics();
  least = Math.min(least, bytes);
  if (bytes < least + maxLeftBytes) return;
  collect ??= collector();
  collect();
  // They are freed beside this thread: the next look finds what is left.
  least = Number.POSITIVE_INFINITY;
}

/** The engine's own collection, which Node.js names only where it is asked to. */
function collector(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
}
