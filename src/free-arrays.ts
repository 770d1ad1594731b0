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
const maxRestingMs = 50;
/** Looks from one collection to the next: it takes this thread some 20 ms. */
const looksBetween = 10;
/** What has to have happened since a collection: work in ms, or as many bytes more or less. */
const worthWhile = { ms: 20, bytes: 1 << 20 } as const;

/** Frees arrays of this thread at most every ten seconds, when it has worked and has had little to do for a second. */
export function freeArraysAtRest(): void {
  const workMs = (): number => performance.eventLoopUtilization().active;
  let [before, freedAt, left, looks] = [workMs(), 0, 0, looksBetween];
  setInterval(() => {
    const work = workMs();
    const isResting = work - before < maxRestingMs;
    before = work;
    const { external_memory: bytes } = getHeapStatistics();
    if (looks++ === 0) left = bytes;
    const isWorthWhile = work - freedAt >= worthWhile.ms || Math.abs(bytes - left) >= worthWhile.bytes;
    if (!isResting || looks <= looksBetween || bytes < maxLeftBytes || !isWorthWhile) return;
    collect();
    // What is left is seen at the next look.
    [freedAt, looks] = [work, 0];
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
