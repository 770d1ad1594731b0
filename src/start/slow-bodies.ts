import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';

/** So that who attacks cannot fill the log. */
const betweenLinesMs = 60_000;

/** Counts bodies that came too slowly; the log has a line of them once a minute at most. */
export function slowBodies(
  { slowBodies }: Pick<Metrics, 'slowBodies'>,
  log: Pick<Log, 'warn'>,
  now: () => number,
): () => void {
  let count = 0;
  let last = Number.NEGATIVE_INFINITY;
  return () => {
    slowBodies.inc();
    count++;
    if (now() - last < betweenLinesMs) return;
    log.warn({ count }, 'bodies came too slowly and were given up; see --min-body-rate');
    last = now();
    count = 0;
  };
}
