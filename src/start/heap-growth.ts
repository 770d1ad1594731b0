import { getHeapStatistics, setFlagsFromString } from 'node:v8';

/** How much a small heap grows before all of it is looked at, in percent: the most that the engine itself would choose. */
const growthPercent = 300;
/** The size, garbage included, from which on a heap is not small. */
const smallBytes = 128 * 1024 * 1024;
const lookMs = 10_000;

/**
 * Has the engine look at all of a small heap less often. By itself it does when 16 MB of garbage may be there, arrays
 * counted, and rows on their way to and from ClickHouse are arrays that outlive the young generation: that was every
 * third insert, and a quarter of the processor time of a node that writes. A large heap is left to the engine.
 */
export function letHeapGrow(): () => void {
  const look = (): void => {
    const isSmall = getHeapStatistics().used_heap_size < smallBytes;
    setFlagsFromString(`--heap-growing-percent=${isSmall ? growthPercent : 0}`);
  };
  look();
  const clock = setInterval(look, lookMs).unref();
  return () => {
    clearInterval(clock);
    setFlagsFromString('--heap-growing-percent=0');
  };
}
