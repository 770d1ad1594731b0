import { computed } from '@preact/signals';
import { distanceChannel, speedChannel } from '../channels/known-channels.ts';
import { openParameters } from '../channels/parameters.ts';
import { unitReader } from '../lines/reader.ts';
import { cursorTime } from '../plots/cursor.ts';
import { isStream } from '../state/same-stream.ts';
import { mode, streams } from '../state/view.ts';
import type { StreamRef } from '../state/view-text.ts';
import { later, loaded } from '../ui/loading.ts';
import { lapGrowth } from './lap-growth.ts';
import type { KeptBorders, RunWish } from './lap-line.ts';
import { lapRangesOf } from './lap-ranges.ts';
import { type LapRow, loadLapRows } from './lap-rows.ts';
import {
  countedIn,
  countedRuns,
  counts,
  isLapSourceComing,
  isLapSourceKnown,
  lapSource,
} from './lap-source.ts';

/** Lines of the runs that are open. */
const lines: { streams: unknown; readonly kept: KeptBorders } = { streams: undefined, kept: new Map() };

/** Laps of the open runs, run by run. */
export const lapList = loaded<LapRow[]>(() => {
  const service = unitReader.value;
  const open = streams.value;
  const { kind, name } = lapSource.value;
  const runs = countedRuns.value;
  const speed = speedChannel.value?.id;
  const distance = distanceChannel.value?.id;
  const counted = distance ?? speed ?? openParameters.value.value?.find(({ type }) => type === 'Numeric')?.id;
  if (service === undefined || open.length === 0) return undefined;
  if (!isLapSourceKnown.value) return isLapSourceComing.value ? later : undefined;
  if (kind === 'none' || counted === undefined) return undefined;
  // Channels of the runs that were open before say nothing of these.
  if (openParameters.value.busy) return later;
  if (kind === 'channel' && runs === undefined) return counts.value.busy ? later : undefined;
  return async (signal) => {
    if (lines.streams !== open) lines.kept.clear();
    lines.streams = open;
    const loads = open.map((stream) => {
      const wish: RunWish = { stream, counted, distance, speed };
      if (kind === 'tag') return loadLapRows(service, { ...wish, tag: name }, lines.kept, signal);
      const ranges = lapRangesOf(countedIn(runs, stream)?.changes ?? []);
      return ranges.length === 0
        ? []
        : loadLapRows(service, { ...wish, channel: name, ranges }, lines.kept, signal);
    });
    return (await Promise.all(loads)).flat();
  };
}, lapGrowth);

/** Nanoseconds from line to line. */
export function lapTime({ start, end }: LapRow): bigint {
  return end - start;
}

/** The fastest lap that is whole. */
export const bestLap = computed(() => {
  const whole = (lapList.value.value ?? []).filter(({ isWhole }) => isWhole);
  return whole.reduce<LapRow | undefined>(
    (best, lap) => (best === undefined || lapTime(lap) < lapTime(best) ? lap : best),
    undefined,
  );
});

/** The lap that the cursor over time is in; undefined where it is in none. */
export const lapAtCursor = computed(() => {
  const time = mode.value === 'overlay' ? undefined : cursorTime.value;
  if (time === undefined) return undefined;
  return lapList.value.value?.find(({ start, end }) => start <= time && time < end);
});

export function lapOf(laps: readonly LapRow[], stream: StreamRef, value: string): LapRow | undefined {
  return laps.find((lap) => lap.value === value && isStream(lap.stream, stream));
}

/** Lengths of one track differ by no more than this share: then laps are as long as their median. */
const sameTrack = 0.001;

/** How long a lap is from line to line: of laps on one track as long as the others; undefined where it is not known. */
export function lapLength(laps: readonly LapRow[], lap: LapRow): number | undefined {
  if (lap.length === undefined) return undefined;
  const near = laps
    .flatMap(({ length }) => length ?? [])
    .filter((length) => Math.abs(length / lap.length! - 1) < sameTrack)
    .sort((a, b) => a - b);
  return near[(near.length - 1) >> 1];
}

const second = 1_000_000_000;

/** `1:23.456`: minutes, seconds, milliseconds. */
export function lapTimeText(nanoseconds: bigint): string {
  const millis = Math.round(Number(nanoseconds) / 1e6);
  const minutes = Math.floor(millis / 60_000);
  const seconds = ((millis - minutes * 60_000) / 1000).toFixed(3);
  return minutes === 0 ? seconds : `${minutes}:${seconds.padStart(6, '0')}`;
}

/** `+0.123`: seconds to the best lap. */
export function toBestText(nanoseconds: bigint): string {
  return `+${(Number(nanoseconds) / second).toFixed(3)}`;
}
