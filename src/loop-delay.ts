import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';
import { collectDefaultMetrics, Gauge, type Registry } from 'prom-client';

/** What each metric shows of the delays, in nanoseconds. */
const shown: readonly (readonly [name: string, of: (delays: RecordableHistogram) => number])[] = [
  ['min', ({ min }) => min],
  ['max', ({ max }) => max],
  ['mean', ({ mean }) => mean],
  ['stddev', ({ stddev }) => stddev],
  ['p50', (delays) => delays.percentile(50)],
  ['p90', (delays) => delays.percentile(90)],
  ['p99', (delays) => delays.percentile(99)],
];

/** Of a timer that never fires. */
const neverMs = 2 ** 31;

/**
 * The usual metrics of Node.js. The library measures the delays of the event loop by a timer, which wakes a thread that has
 * nothing to do a hundred times a second; here someone else does, and tells each with the function that comes back, in
 * milliseconds. The metrics have the same names and meaning: the delays since they were read last.
 */
export function collectNodeMetrics(registry: Registry): (ms: number) => void {
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: neverMs });
  const delays = createHistogram();
  for (const [what, of] of shown) {
    const name = `nodejs_eventloop_lag_${what}_seconds`;
    registry.removeSingleMetric(name);
    new Gauge({
      name,
      help: `The ${what} of the delays of the event loop`,
      registers: [registry],
      collect() {
        this.set(delays.count === 0 ? 0 : of(delays) / 1e9);
        if (what === shown.at(-1)![0]) delays.reset();
      },
    });
  }
  return (ms) => delays.record(Math.max(1, Math.round(ms * 1e6)));
}
