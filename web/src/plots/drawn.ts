import { computed } from '@preact/signals';
import { plotted } from '../channels/plotted.ts';
import { isCalculated } from '../lines/calculated.ts';
import { followed } from '../lines/followed.ts';
import { reader } from '../lines/reader.ts';
import { loadTraces, secondsFrom, type Trace, type TraceLoad, type TraceNames } from '../lines/traces.ts';
import { isStream } from '../state/same-stream.ts';
import { stable } from '../state/stable.ts';
import { isLive, math, mode, plots, streams } from '../state/view.ts';
import type { TimeRange } from '../state/view-text.ts';
import { later, loaded } from '../ui/loading.ts';
import { first } from '../ui/turns.ts';
import { restedDrawnWidth } from './axes.ts';
import { isRangeOfOthers, range, restedRange } from './range.ts';
import { isMeasured } from './width.ts';

/** What is plotted: as it was written, and what the service works out for it. */
const wanted = stable<{ readonly written: TraceNames; readonly calculated: TraceNames } | undefined>(() => {
  const names = plotted.value;
  const own = new Set(math.value.map(({ name }) => name));
  const isWorkedOut = (name: string) => own.has(name) || isCalculated(name);
  return (
    names && {
      written: { numbers: names.numbers.filter((name) => !isWorkedOut(name)), texts: names.texts },
      calculated: { numbers: names.numbers.filter(isWorkedOut), texts: [] },
    }
  );
});

/** Requests of their own: an expression that takes long holds back nothing but itself. */
const [written, calculated] = (['written', 'calculated'] as const).map((kind) =>
  loaded<TraceLoad>(() => {
    const service = reader.value;
    const shown = restedRange.value;
    const open = streams.value;
    const pixels = restedDrawnWidth.value;
    // While live data is followed, the plots are drawn from what comes.
    const names = wanted.value?.[kind];
    const isSeen = mode.value === 'time' && !isLive.value && plots.value.length > 0;
    if (service === undefined || shown === undefined || names === undefined || !isSeen) return undefined;
    if (names.numbers.length + names.texts.length === 0) return undefined;
    const fetchTraces =
      isRangeOfOthers.value || !isMeasured.value
        ? later
        : (signal: AbortSignal) => loadTraces(service, open, names, shown, pixels, signal);
    return kind === 'written' ? first(fetchTraces) : fetchTraces;
  }),
) as [ReturnType<typeof loaded<TraceLoad>>, ReturnType<typeof loaded<TraceLoad>>];

/** How the loading goes. */
export const drawing = computed(() => {
  const loads = [written.value, calculated.value];
  return {
    error: loads.find(({ error }) => error !== undefined)?.error,
    busy: loads.some(({ busy }) => busy),
    retry: () => {
      for (const { error, retry } of loads) if (error !== undefined) retry();
    },
  };
});

/** What was drawn last: where live data begins or ends, it is seen until what is asked for has come. */
let drawnLast: TraceLoad | undefined;

/** What the plots draw. */
export const drawn = computed<TraceLoad | undefined>(() => {
  const now = followed.value ?? together(written.value.value, calculated.value.value);
  const open = streams.value;
  const isOpen = ({ stream }: Trace) => open.some((own) => isStream(own, stream));
  if (now !== undefined || !drawnLast?.traces.every(isOpen)) drawnLast = now;
  return drawnLast;
});

/** What was written, and what is worked out of it. */
function together(one: TraceLoad | undefined, second: TraceLoad | undefined): TraceLoad | undefined {
  if (one === undefined || second === undefined) return one ?? second;
  // One may still be of runs that are not open any more, or begin elsewhere.
  const open = streams.value;
  const others = second.traces.filter(({ stream }) => open.some((own) => isStream(own, stream)));
  return { ...one, traces: [...one.traces, ...others.map(movedTo(one.origin, second.origin))] };
}

function movedTo(origin: bigint, from: bigint): (trace: Trace) => Trace {
  const by = secondsFrom(origin, from);
  return by === 0
    ? (trace) => trace
    : (trace) => ({ ...trace, points: { ...trace.points, x: trace.points.x.map((place) => place + by) } });
}

/** What the axis of time shows: until what was zoomed to has come, what is there is drawn at its place. */
export const drawnRange = computed<TimeRange | undefined>(() =>
  isLive.value ? drawn.value?.range : range.value,
);

/** Whether the plots wait for what was zoomed to. */
export const isBehind = computed(() => !isLive.value && range.value !== restedRange.value);
