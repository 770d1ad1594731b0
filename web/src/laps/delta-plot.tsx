import { computed } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type { Bounds } from '../lines/bounds.ts';
import { type Look, lookOfLine } from '../lines/colours.ts';
import { isDark } from '../lines/scheme.ts';
import { Swatch } from '../lines/swatch.tsx';
import { drawnPixels } from '../plots/axes.ts';
import { type FlagRow, type FlagText, FlagValues } from '../plots/flag-values.tsx';
import { PlotFrame } from '../plots/plot-frame.tsx';
import { plotWidth } from '../plots/width.ts';
import { chosenPlaces, isLive } from '../state/view.ts';
import { cursorPlace } from './across.ts';
import type { Lap } from './course-load.ts';
import { type Delta, deltaLine, deltaOf, deltaText } from './delta.ts';
import { mayGrow } from './driven-laps.ts';
import { lapKey, lapName, OverlayChart } from './overlay-plot.tsx';

/** How much time laps have lost against the first one, at each place of the way; nothing where they cover none. */
export function DeltaPlot({
  laps,
  bounds,
  height,
}: {
  laps: readonly Lap[];
  bounds: Bounds;
  height: number;
}) {
  const [reference, ...others] = laps;
  const pixels = drawnPixels(plotWidth.value, 0);
  const deltas = useMemo(
    () =>
      others.flatMap((lap) => {
        const delta = deltaOf(lap.course, reference!.course);
        const isExact = lap.course.isExact && reference!.course.isExact;
        return delta === undefined ? [] : [{ lap, delta, isExact }];
      }),
    [laps],
  );
  const [low, high] = bounds;
  const lines = useMemo(
    () =>
      deltas.map(({ lap, delta }) => ({
        points: deltaLine(delta, [low, high], pixels),
        ...lookOf(lap),
        unit: 's',
      })),
    [deltas, low, high, pixels, isDark.value],
  );
  const readings = useMemo(
    () =>
      computed(() => {
        const place = cursorPlace.value;
        return deltas.map(({ delta }) => (place === undefined ? undefined : markOf(delta, place)));
      }),
    [deltas],
  );
  if (reference === undefined || deltas.length === 0) return null;
  return (
    <div class="plot-row overlay delta">
      <PlotFrame
        shape={JSON.stringify([laps.map(lapKey), isLive.value])}
        height={height}
        head={
          <>
            <header>
              <h2>Δt to {lapName(reference)}</h2>
              <span class="soft">s</span>
              <dl class="readings">
                {deltas.map(({ lap, isExact }, i) => (
                  <div key={lapKey(lap)} class="reading">
                    <dt>
                      <Swatch look={lines[i]!} />
                      {lapName(lap)}
                    </dt>
                    <DeltaReading readings={readings} index={i} isExact={isExact} />
                  </div>
                ))}
              </dl>
              <FlagValues rows={deltas.map((own, i) => deltaFlags(own, lines[i]!))} />
            </header>
            {isLive.value && <DeltaNow deltas={deltas} />}
          </>
        }
        draw={(drawnHeight) => (
          <OverlayChart title="Time lost" {...{ lines, bounds, readings }} height={drawnHeight} />
        )}
      />
    </div>
  );
}

function deltaFlags(
  { lap, delta, isExact }: { readonly lap: Lap; readonly delta: Delta; readonly isExact: boolean },
  look: Look,
): FlagRow {
  const { a, b } = chosenPlaces.value;
  const [atA, atB] = [a, b].map((place) => (place === undefined ? undefined : delta(place)));
  const flag = (whole: string): FlagText => ({ short: whole, whole });
  const text = (place: number | undefined, seconds: number | undefined) =>
    place === undefined ? undefined : flag(seconds === undefined ? '–' : deltaText(seconds, isExact));
  const between = atA === undefined || atB === undefined ? undefined : flag(deltaText(atB - atA, isExact));
  return { key: lapKey(lap), look, label: '', a: text(a, atA), b: text(b, atB), between };
}

function lookOf({ index }: Lap): Look {
  return { ...lookOfLine(index), isBold: false };
}

/** What the laps that are being driven have lost until now, large. */
function DeltaNow({
  deltas,
}: {
  deltas: readonly { readonly lap: Lap; readonly delta: Delta; readonly isExact: boolean }[];
}) {
  return (
    <dl class="now-values" aria-label="Time lost until now">
      {deltas.map(({ lap, delta, isExact }) => {
        const place = mayGrow.value(lap) ? lap.course.placeAt(lap.range.to) : undefined;
        const now = place === undefined ? undefined : delta(place);
        if (now === undefined) return null;
        return (
          <div key={lap.index}>
            <dt class="unseen">{lapName(lap)}</dt>
            <dd>
              {deltas.length > 1 && <Swatch look={lookOf(lap)} />}
              {deltaText(now, isExact)}
            </dd>
          </div>
        );
      })}
    </dl>
  );
}

/** Whether any lap can be held against the first one. */
export function hasDelta([reference, ...others]: readonly Lap[]): boolean {
  return others.some((lap) => deltaOf(lap.course, reference!.course) !== undefined);
}

function DeltaReading({
  readings,
  index,
  isExact,
}: {
  readings: { readonly value: readonly ReturnType<typeof markOf>[] };
  index: number;
  isExact: boolean;
}) {
  const mark = readings.value[index];
  return <dd>{mark && deltaText(mark.low, isExact)}</dd>;
}

/** Read at the pointer itself, between rows. */
function markOf(delta: Delta, place: number) {
  const value = delta(place);
  return value === undefined ? undefined : { x: place, low: value, high: value };
}
