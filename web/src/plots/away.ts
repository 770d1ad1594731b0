import { plotted } from '../channels/plotted.ts';
import { isCalculated } from '../lines/calculated.ts';
import { reader } from '../lines/reader.ts';
import { loadTraces, secondsFrom, type Trace, type TraceLoad } from '../lines/traces.ts';
import { isStream } from '../state/same-stream.ts';
import { stable } from '../state/stable.ts';
import { chosenCursors, isLive, mode, streams } from '../state/view.ts';
import type { TimeRange } from '../state/view-text.ts';
import { loaded } from '../ui/loading.ts';
import { afterwards } from '../ui/turns.ts';
import { restedDrawnWidth } from './axes.ts';
import { drawn } from './drawn.ts';
import { restedRange, withinTime } from './range.ts';

/** A and B where they are not in what is seen. */
const times = stable(() => {
  const shown = restedRange.value;
  const { a, b } = chosenCursors.value;
  if (shown === undefined || isLive.value || mode.value !== 'time') return [];
  return [a, b].filter((time) => time !== undefined && !isWithin(time, shown)) as bigint[];
});

/**
 * What the plots would show around them, as far as it was written: what is calculated depends on where one looks.
 */
const load = loaded<ReadonlyMap<bigint, TraceLoad>>(() => {
  const service = reader.value;
  const shown = restedRange.value;
  const { numbers = [], texts = [] } = plotted.value ?? {};
  const [open, pixels, wanted] = [streams.value, restedDrawnWidth.value, times.value];
  const names = { numbers: numbers.filter((name) => !isCalculated(name)), texts };
  if (service === undefined || shown === undefined || wanted.length === 0) return undefined;
  if (names.numbers.length + texts.length === 0) return undefined;
  const half = (shown.to - shown.from) / 2n;
  const loadAt = async (time: bigint, signal: AbortSignal) => {
    const range = withinTime({ from: time - half, to: time + half });
    return [time, await loadTraces(service, open, names, range, pixels, signal)] as const;
  };
  return afterwards(async (signal) => new Map(await Promise.all(wanted.map((time) => loadAt(time, signal)))));
});

/** A trace where it is read, and the exact time of its x = 0. */
export interface TraceThere {
  readonly trace: Trace;
  readonly origin: bigint;
  /** Seconds from the origin of what is seen to that. */
  readonly by: number;
}

/** The same trace at a time that is not seen; undefined where it is seen, or what is there has not come yet. */
export function traceAway({ stream, parameter, texts }: Trace, time: bigint): TraceThere | undefined {
  const seen = drawn.value;
  if (seen === undefined || isWithin(time, seen.range)) return undefined;
  const there = load.value.value?.get(time);
  const trace = there?.traces.find(
    (own) =>
      own.parameter === parameter &&
      isStream(own.stream, stream) &&
      (own.texts === undefined) === (texts === undefined),
  );
  return there && trace && { trace, origin: there.origin, by: secondsFrom(seen.origin, there.origin) };
}

function isWithin(time: bigint, { from, to }: TimeRange): boolean {
  return from <= time && time <= to;
}
