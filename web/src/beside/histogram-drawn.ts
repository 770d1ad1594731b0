import { computed } from '@preact/signals';
import { plottedNumbers } from '../channels/plotted.ts';
import { laps } from '../laps/overlay-drawn.ts';
import { lapName } from '../laps/overlay-plot.tsx';
import { channelColour, dashAt, type Look } from '../lines/colours.ts';
import { reader } from '../lines/reader.ts';
import { measured } from '../measure/range-statistics.ts';
import { streamName } from '../runs/stream-name.ts';
import { beside, isLive, mode, streams, view } from '../state/view.ts';
import { loaded } from '../ui/loading.ts';
import { type Bins, type CountWish, loadBins } from './histogram-load.ts';

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
}

interface Wish extends CountWish {
  readonly label: string;
  /** Which of the lines it is. */
  readonly index: number;
}

/** Each lap where laps are compared; else each run, from A to B or as far as is seen. */
const wishes = computed<readonly Wish[]>(() => {
  if (mode.value === 'overlay')
    return (laps.value.value ?? []).map((lap) => ({ ...lap, label: lapName(lap) }));
  const range = measured.value;
  if (range === undefined) return [];
  return streams.value.map((stream, index) => ({
    rows: { topic: stream.topic, streamIds: [stream.streamId] },
    range,
    label: streamName(stream),
    index,
  }));
});

/** Which rows are counted: only a change of these is a new request. */
const load = loaded<{
  readonly parameter: string;
  readonly wishes: readonly Wish[];
  readonly bins: Bins | undefined;
}>(() => {
  const service = reader.value;
  const parameter = counted.value;
  const own = wishes.value;
  const isSeen = beside.value.includes('histogram') && mode.value !== 'table' && !isLive.value;
  if (service === undefined || parameter === '' || own.length === 0 || !isSeen) return undefined;
  return async (signal) => ({
    parameter,
    wishes: own,
    bins: await loadBins(service, parameter, own, signal),
  });
});

/** How it went, and how to try again. */
export const loading = computed(() => {
  const { busy, error, retry } = load.value;
  return { busy, error, retry, isKnown: load.value.value !== undefined };
});

/** Undefined where there is nothing to count. */
export const drawn = computed<Histogram | undefined>(() => {
  const { value } = load.value;
  if (value?.bins === undefined) return undefined;
  const { parameter, bins } = value;
  return {
    parameter,
    edges: bins.edges,
    lines: value.wishes.map(({ label, index }, i) => {
      const counts = bins.counts[i]!;
      return {
        label,
        colour: channelColour(parameter),
        dash: dashAt(i === 0 ? 0 : index),
        isBold: i === 0 && value.wishes.length > 1,
        counts,
        rows: counts.reduce((sum, count) => sum + count, 0),
      };
    }),
  };
});
