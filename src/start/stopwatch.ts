import type { Log } from '../log.ts';

/** Logs how long each step took. */
export function stopwatch(log: Log): (step: string) => void {
  let last = performance.now();
  return (step) => {
    const time = performance.now();
    log.info({ step, milliseconds: Math.round(time - last) }, 'done');
    last = time;
  };
}
