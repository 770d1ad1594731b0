import type { ReadonlySignal } from '@preact/signals';
import { plottedNumbers } from '../channels/plotted.ts';
import { reader } from '../lines/reader.ts';
import type { RowsWish } from '../lines/rows-wish.ts';
import { beat } from '../live/news.ts';
import { isLive } from '../state/view.ts';
import { type Loaded, loaded } from '../ui/loading.ts';
import { resting } from '../ui/resting.ts';
import { loadStatistics, type Statistics } from './statistics-load.ts';

/**
 * Statistics of each plotted channel, of all that is measured. `wishes` reads its signals; it gives nothing where nothing is
 * to be asked for. Live, they are worked out again for what `wishes` gives then.
 *
 * @param changes when they are: each beat of live data without it
 */
export function statisticsOf<Of extends RowsWish>(
  wishes: () => readonly Of[],
  changes: ReadonlySignal<unknown> = beat,
): ReadonlySignal<Loaded<Statistics<Of>[]>> {
  const { now, read } = resting(changes, { ms: 1500, times: 10 });
  return loaded<Statistics<Of>[]>(() => {
    const service = reader.value;
    const names = plottedNumbers.value;
    const measured = wishes();
    if (service === undefined || names.length === 0 || measured.length === 0) return undefined;
    const load = async (signal: AbortSignal) =>
      (await Promise.all(measured.map((of) => loadStatistics(service, of, names, signal)))).flat();
    // Between A and B, too, rows may come.
    return isLive.value ? (signal) => read(() => load(signal)) : load;
  }, now);
}
