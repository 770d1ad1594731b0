import { computed } from '@preact/signals';
import type { Client } from '../../../src/client/client.ts';
import { distanceChannel } from '../channels/known-channels.ts';
import { hasNumbers } from '../channels/parameter-entry.ts';
import { openParameters } from '../channels/parameters.ts';
import { isCalculated } from '../lines/calculated.ts';
import { reader } from '../lines/reader.ts';
import { isStream } from '../state/same-stream.ts';
import { beside, mode, streams, view } from '../state/view.ts';
import type { LapRef, StreamRef, TimeRange } from '../state/view-text.ts';
import { later, loaded } from '../ui/loading.ts';
import { type ByLap, loadByLap } from './by-lap.ts';
import { lapList } from './lap-list.ts';
import type { LapRow } from './lap-rows.ts';
import { byLap } from './lap-selection.ts';
import { lapSource } from './lap-source.ts';

/** The channel along which places of a lap are told: what laps are aligned by, where open runs have it, or else its distance. */
export const wayEntry = computed(() => {
  const { alignBy } = view.value;
  const chosen = openParameters.value.value?.find((own) => own.id === alignBy && hasNumbers(own));
  return chosen ?? distanceChannel.value;
});
export const wayChannel = computed(() => wayEntry.value?.id);

/** The way of a lap along a channel. */
export interface LapWay {
  readonly lap: LapRow;
  /** The value at which its places are 0: its own first one where the channel goes on from lap to lap, or else 0. */
  readonly origin: number;
  /** Its last place. */
  readonly end: number;
  /** Whether the channel goes on from lap to lap. */
  readonly isFromStart: boolean;
}

export interface LapWays {
  readonly channel: string;
  /** The laps that they were made of. */
  readonly laps: readonly LapRow[];
  readonly ways: readonly LapWay[];
}

const isSeen = computed(
  () => (mode.value === 'overlay' && view.value.alignBy !== '') || beside.value.includes('sectors'),
);

/** Those of all laps of the open runs that have values. */
export const lapWays = loaded<LapWays>(() => {
  const service = reader.value;
  const channel = wayChannel.value;
  const source = lapSource.value;
  const { value: laps, busy } = lapList.value;
  const open = streams.value;
  if (service === undefined || channel === undefined || !isSeen.value) return undefined;
  if (busy) return later;
  if (laps === undefined || source.kind === 'none') return undefined;
  const isWritten = !isCalculated(channel);
  return async (signal) => {
    const loads = open.map((stream) => {
      const own = laps.filter((lap) => isStream(lap.stream, stream));
      // What is calculated along rows begins anew in a stretch of time, and not at a value of a tag.
      const by = isWritten ? byLap(source, own) : byTime(own);
      return loadWays(service, { stream, laps: own, by }, channel, signal);
    });
    return { channel, laps, ways: (await Promise.all(loads)).flat() };
  };
});

/** When the rows of a lap are, inclusive. */
export function timeOfLap({ range, start, end }: LapRow): TimeRange {
  return range ?? { from: start, to: end - 1n };
}

/** Laps as stretches of time. */
export function byTime(laps: readonly LapRow[]): ByLap {
  return { ranges: laps.map((lap) => ({ name: lap.value, range: timeOfLap(lap) })) };
}

export function wayOf(ways: LapWays | undefined, { stream, value }: LapRef): LapWay | undefined {
  return ways?.ways.find(({ lap }) => lap.value === value && isStream(lap.stream, stream));
}

/** Laps of a run in order of time, and how its rows are told apart by them. */
interface LapsOfRun {
  readonly stream: StreamRef;
  readonly laps: readonly LapRow[];
  readonly by: ByLap;
}

interface Span {
  readonly low: number;
  readonly high: number;
}

async function loadWays(
  client: Client,
  { stream, laps, by }: LapsOfRun,
  channel: string,
  signal: AbortSignal,
): Promise<LapWay[]> {
  const numericParameters = (['Min', 'Max'] as const).map((aggregationType) => ({
    parameterName: channel,
    aggregationType,
  }));
  const answers = await loadByLap(client, stream, by, { numericParameters }, signal);
  const spans = new Map(
    answers.flatMap(({ lap, numberOf }): [string | null, Span][] => {
      const [low, high] = [numberOf(`min(${channel})`), numberOf(`max(${channel})`)];
      return low === undefined || high === undefined ? [] : [[lap, { low, high }]];
    }),
  );
  return laps.flatMap((lap, i): LapWay[] => {
    const span = spans.get(lap.value);
    if (span === undefined) return [];
    const [before, after] = [laps[i - 1], laps[i + 1]].map((next) => next && spans.get(next.value));
    const isFromStart = goesOn(before, span) || goesOn(span, after);
    const origin = isFromStart ? span.low : 0;
    return [{ lap, origin, end: span.high - origin, isFromStart }];
  });
}

/** Laps that lie over each other by more than this share of their ways do not go on. */
const mostShared = 0.01;
/** Between two laps there may be rows of none, over this share of their ways. */
const mostBetween = 0.1;

/** Whether a lap begins where the one before it ends. */
function goesOn(before: Span | undefined, after: Span | undefined): boolean {
  if (before === undefined || after === undefined) return false;
  const way = Math.max(before.high - before.low, after.high - after.low);
  const between = after.low - before.high;
  return way > 0 && between >= -mostShared * way && between <= mostBetween * way;
}
