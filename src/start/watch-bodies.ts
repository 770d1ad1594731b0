import type { Config } from '../config.ts';
import { createLeastRate, type LeastRate } from '../ingest/least-rate.ts';
import type { Metrics } from '../metrics.ts';

/** Gives up bodies that come too slowly, until it is ended. */
export function watchBodies(
  config: Config,
  metrics: Metrics,
  note: () => void,
): { readonly leastRate: LeastRate; end(): void } {
  const leastRate = createLeastRate({
    bytesPerSecond: config.minBodyRate,
    graceMs: config.bodyGrace,
    onSlow() {
      metrics.slowBodies.inc();
      note();
    },
  });
  const clock = setInterval(leastRate.tick, leastRate.tickMs);
  return { leastRate, end: () => clearInterval(clock) };
}
