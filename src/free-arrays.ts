import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** The most bytes of arrays that nobody uses any more. */
const maxLeftBytes = 8 * 1024 * 1024;

let ofEngine: (() => void) | undefined;
/** The least that arrays of this thread took since they were freed: these are in use. None before that. */
let least = 0;

/**
 * Gives back the memory of arrays that this thread no longer uses, once they are many. By itself the engine waits until they
 * take some 30 MB, because it looks at objects, which are few and small here. To be called where little is in use.
 */
export function freeArrays(): void {
  const { external_memory: bytes } = getHeapStatistics();
  least = Math.min(least, bytes);
  if (bytes < least + maxLeftBytes) return;
  collect();
  // They are freed beside this thread: the next look finds what is left.
  least = Number.POSITIVE_INFINITY;
}

/** How often to look whether this thread is at rest. */
const lookMs = 1000;
/** Work of this thread in a second that it rests. */
const maxRestingMs = 10;
/** Work since the last collection that is worth another one. */
const leastWorkMs = 20;

/**
 * Frees arrays of this thread once, when it has worked, and has then had little to do for `restMs`. The engine throws code away
 * with the objects that it was compiled for, so that what is asked next takes twice as long: not between two looks of somebody
 * at a dashboard.
 * @param restMs a minute without it
 */
export function freeArraysAtRest(restMs = 60_000): void {
  const workMs = (): number => performance.eventLoopUtilization().active;
  let [before, freedAt, rested] = [workMs(), 0, 0];
  setInterval(() => {
    const work = workMs();
    rested = work - before < maxRestingMs ? rested + lookMs : 0;
    before = work;
    if (rested < restMs || work - freedAt < leastWorkMs) return;
    if (getHeapStatistics().external_memory < maxLeftBytes) return;
    collect();
    freedAt = workMs();
  }, lookMs).unref();
}

function collect(): void {
  ofEngine ??= collector();
  ofEngine();
}

/** The engine's own collection, which Node.js names only where it is asked to. */
function collector(): () => void {
  setFlagsFromString('--expose-gc');
  const found = runInNewContext('gc') as () => void;
  // Compiled code that is kept is of the flags that are set when it is written (compiled/code-cache.ts).
  setFlagsFromString('--no-expose-gc');
  return found;
}
