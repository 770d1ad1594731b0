import { computed } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { drawnPixels } from '../look/axes.ts';
import type { Bounds } from '../look/bounds.ts';
import { colourAt } from '../look/colours.ts';
import { plotWidth } from '../look/width.ts';
import { cursorPlace } from './across.ts';
import type { Lap } from './course-load.ts';
import { type Delta, deltaLine, deltaOf, deltaText } from './delta.ts';
import { lapName, OverlayChart } from './overlay-plot.tsx';

/** How much time laps have lost against the first one, at each place of the way; nothing where they cover none. */
export function DeltaPlot({ laps, bounds }: { laps: readonly Lap[]; bounds: Bounds }) {
  const [reference, ...others] = laps;
  const pixels = drawnPixels(plotWidth.value, false);
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
        colour: colourAt(lap.index),
        unit: 's',
      })),
    [deltas, low, high, pixels],
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
      <header>
        <h3>Δt to {lapName(reference)}</h3>
        <span class="soft">s</span>
        <dl class="readings">
          {deltas.map(({ lap, isExact }, i) => (
            <div key={`${lap.stream.topic}/${lap.stream.streamId}/${lap.value}`} class="reading">
              <dt>
                <span class="swatch" style={{ background: lines[i]!.colour }} />
                {lapName(lap)}
              </dt>
              <DeltaReading readings={readings} index={i} isExact={isExact} />
            </div>
          ))}
        </dl>
      </header>
      <OverlayChart title="Time lost" {...{ lines, bounds, readings }} />
    </div>
  );
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
