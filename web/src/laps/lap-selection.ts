import type { Selection } from '../lines/point-load.ts';
import { allTime } from '../lines/time-text.ts';
import { isStream } from '../state/same-stream.ts';
import type { LapRef, LapSource, TimeRange } from '../state/view-text.ts';
import type { ByLap } from './by-lap.ts';
import type { LapRow } from './lap-rows.ts';

/** The rows of a lap: those of a tag's value, those of a stretch of time whatever they say, or where the value comes again both. */
export interface LapSelection {
  readonly rows: Selection;
  readonly within: TimeRange;
}

/** Which rows a lap has; undefined where no such lap is known. */
export type SelectLap = (lap: LapRef) => LapSelection | undefined;

/** By what counts laps, and the laps that are known: rows of a channel's laps are told apart by their times. */
export function lapSelection({ kind, name }: LapSource, laps: readonly LapRow[]): SelectLap {
  return ({ stream, value }) => {
    const rows = { topic: stream.topic, streamIds: [stream.streamId] };
    if (kind === 'none') return { rows, within: allTime };
    const lap = laps.find((lap) => lap.value === value && isStream(lap.stream, stream));
    const within = lap?.range;
    if (kind === 'channel') return within && { rows, within };
    return { rows: { ...rows, ...tagRows(name, lap?.tagged ?? value) }, within: within ?? allTime };
  };
}

/** How rows of a run with such laps are told apart. */
export function byLap({ kind, name }: LapSource, laps: readonly LapRow[]): ByLap {
  const ranges = laps.flatMap(({ value, range, tagged }) => {
    const rows = tagged === undefined ? {} : { rows: tagRows(name, tagged) };
    return range === undefined ? [] : [{ name: value, range, ...rows }];
  });
  return kind === 'tag' && ranges.length === 0 ? { tag: name } : { ranges };
}

function tagRows(tag: string, value: string): Pick<Selection, 'tagFilters'> {
  return { tagFilters: [{ tag, value }] };
}

/** What two ranges share; undefined: nothing. */
export function shared(one: TimeRange, other: TimeRange): TimeRange | undefined {
  const from = one.from > other.from ? one.from : other.from;
  const to = one.to < other.to ? one.to : other.to;
  return from > to ? undefined : { from, to };
}
