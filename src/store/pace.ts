/**
 * Keeps long reads from holding up everything else on the thread: a read asks between small steps, and waits for
 * one turn of the event loop whenever it has had the thread for `sliceMs`. Asking also ends a read whose client has
 * left: it throws the signal's reason.
 */
export type Pace = () => Promise<void> | undefined;

/** Writes that arrive meanwhile wait about this long. */
const sliceMs = 10;

export function paceReads(signal: AbortSignal): Pace {
  let start = performance.now();
  return () => {
    signal.throwIfAborted();
    if (performance.now() - start < sliceMs) return undefined;
    return new Promise((resolve) => {
      setImmediate(() => {
        start = performance.now();
        resolve();
      });
    });
  };
}
