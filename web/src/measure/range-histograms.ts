import { computed } from '@preact/signals';
import { reader } from '../lines/reader.ts';
import type { StreamRef } from '../state/view-text.ts';
import { loaded } from '../ui/loading.ts';
import { afterwards } from '../ui/turns.ts';
import { type Bins, countBins, edgesOf } from './bins.ts';
import { statistics } from './range-statistics.ts';

/** How many rows of a channel have which values, of what is measured. */
export interface RangeHistogram {
  readonly stream: StreamRef;
  readonly parameter: string;
  readonly bins: Bins;
}

/** About so many: it is a small picture. */
const bins = 20;
/** To count more rows for a small picture takes too long; the panel does it. */
const mostRows = 500_000;

const known = computed(() => statistics.value.value);

export const histograms = loaded<RangeHistogram[]>(() => {
  const service = reader.value;
  const found = known.value;
  if (service === undefined || found === undefined) return undefined;
  return afterwards(async (signal) => {
    const loads = found.map(async ({ stream, parameter, range, least, largest, count }) => {
      if (least === undefined || largest === undefined || count > mostRows) return [];
      const rows = { topic: stream.topic, streamIds: [stream.streamId] };
      const edges = edgesOf(least, largest, bins);
      return [
        { stream, parameter, bins: await countBins(service, parameter, edges, [{ rows, range }], signal) },
      ];
    });
    return (await Promise.all(loads)).flat();
  });
});
