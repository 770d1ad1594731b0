import { readFileSync } from 'node:fs';

/**
 * Loaded into the service beside it (`node --import`): says on standard output how much processor the main thread took for
 * each turn that was long, in milliseconds. Time in which others had the processor does not count.
 */
const tellMs = 5;

/** Nanoseconds that this thread has had a processor. */
const taken = (): number => Number(readFileSync('/proc/thread-self/schedstat', 'latin1').split(' ')[0]);

let last = taken();
setInterval(() => {
  const now = taken();
  const ms = (now - last) / 1e6;
  last = now;
  if (ms >= tellMs) process.stdout.write(`turn ${ms.toFixed(1)}\n`);
}, 1).unref();
