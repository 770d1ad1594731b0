import { computed } from '@preact/signals';
import { lookAmong } from '../channels/looks.ts';
import { plottedNumbers } from '../channels/plotted.ts';
import type { Look } from '../lines/colours.ts';
import { reader } from '../lines/reader.ts';
import { type Bins, loadBins } from '../measure/bins.ts';
import { beside, isLive, mode, view } from '../state/view.ts';
import { loaded } from '../ui/loading.ts';
import { type Part, partsNow, restingBeat } from './parts.ts';

/** Whose values are counted. */
export const counted = computed(() => {
  const names = plottedNumbers.value;
  const { histogram } = view.value;
  return histogram === '' ? (names[0] ?? '') : histogram;
});

/** A run or a lap, as the histogram shows it. */
export interface CountedLine extends Look {
  readonly label: string;
  readonly counts: readonly number[];
  /** All that are counted. */
  readonly rows: number;
}

export interface Histogram {
  readonly parameter: string;
  readonly edges: readonly number[];
  readonly lines: readonly CountedLine[];
  /** Rows that are infinite, and in no bin. */
  readonly infinite: number;
  /** Those that have NaN. */
  readonly none: number;
}

const resting = restingBeat();

/** Which rows are counted: only a change of these is a new request. */
const load = loaded<{
  readonly parameter: string;
  readonly parts: readonly Part[];
  readonly bins: Bins | undefined;
}>(() => {
  const service = reader.value;
  const parameter = counted.value;
  const parts = partsNow();
  const isSeen = beside.value.includes('histogram') && mode.value !== 'table';
  if (service === undefined || parameter === '' || parts.length === 0 || !isSeen) return undefined;
  return async (signal) => ({
    parameter,
    parts,
    bins: await resting.read(() => loadBins(service, parameter, parts, signal)),
  });
}, resting.now);

/** How it went, and how to try again. */
export const loading = computed(() => {
  const { busy, error, retry, value } = load.value;
  const isKnown = value !== undefined;
  // Live, rows are counted all the time.
  return { busy: busy && !(isLive.value && isKnown), error, retry, isKnown };
});

/** Undefined where there is nothing to count. */
export const drawn = computed<Histogram | undefined>(() => {
  const { value } = load.value;
  if (value?.bins === undefined) return undefined;
  const { parameter, bins } = value;
  return {
    parameter,
    edges: bins.edges,
    infinite: bins.infinite,
    none: bins.none,
    lines: value.parts.map(({ label, index }, i) => {
      const counts = bins.counts[i]!;
      return {
        label,
        ...lookAmong(parameter, index, value.parts.length),
        counts,
        rows: counts.reduce((sum, count) => sum + count, 0),
      };
    }),
  };
});
