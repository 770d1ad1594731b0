import { computed, type ReadonlySignal } from '@preact/signals';
import { reader } from '../lines/reader.ts';
import type { RowsWish } from '../lines/rows-wish.ts';
import { type Loaded, loaded } from '../ui/loading.ts';
import { afterwards } from '../ui/turns.ts';
import { type Bins, countBins, edgesOf, loadBins } from './bins.ts';
import type { Statistics } from './statistics-load.ts';

/** How many rows of a channel have which values, of what is measured. */
export interface RangeHistogram<Of extends RowsWish> {
  readonly of: Of;
  readonly parameter: string;
  readonly bins: Bins;
}

/** About so many: it is a small picture. */
const bins = 20;
/** To count more rows for a small picture takes too long; the panel does it. */
const mostRows = 500_000;

/** A small histogram beside each of the statistics. */
export function histogramsOf<Of extends RowsWish>(
  statistics: ReadonlySignal<Loaded<Statistics<Of>[]>>,
): ReadonlySignal<Loaded<RangeHistogram<Of>[]>> {
  const known = computed(() => statistics.value.value);
  return loaded<RangeHistogram<Of>[]>(() => {
    const service = reader.value;
    const found = known.value;
    if (service === undefined || found === undefined) return undefined;
    return afterwards(async (signal) => {
      const loads = found.map(async ({ of, parameter, least, largest, count }) => {
        if (least === undefined || largest === undefined || count > mostRows) return [];
        if (!Number.isFinite(least) || !Number.isFinite(largest)) {
          const found = await loadBins(service, parameter, [of], signal);
          return found === undefined ? [] : [{ of, parameter, bins: found }];
        }
        const edges = edgesOf(least, largest, bins);
        return [{ of, parameter, bins: await countBins(service, parameter, edges, [of], signal) }];
      });
      return (await Promise.all(loads)).flat();
    });
  });
}
