import { computed } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { drawnPixels, unitOf } from '../look/axes.ts';
import type { Bounds } from '../look/bounds.ts';
import { Chart } from '../look/chart.tsx';
import { colourAt } from '../look/colours.ts';
import { reachPixels } from '../look/cursor.ts';
import { numberTicks } from '../look/number-ticks.ts';
import { numberText, readingAt } from '../look/reading.ts';
import { Readings } from '../look/readings.tsx';
import { durationText } from '../look/time-text.ts';
import { plotWidth } from '../look/width.ts';
import { streams } from '../state/view.ts';
import { acrossGestures, cursorPlace } from './across.ts';
import type { Lap } from './course-load.ts';
import type { OverlayLoad } from './overlay-load.ts';
import { overlay } from './overlay-state.ts';

/** One parameter of all laps. */
export function OverlayPlot({
  parameter,
  load,
  bounds,
}: {
  parameter: string;
  load: OverlayLoad;
  bounds: Bounds;
}) {
  const { laps, parameters } = load;
  const unit = unitOf(parameter);
  const place = parameters.indexOf(parameter);
  const lines = useMemo(
    () => laps.map(({ index, points }) => ({ points: points[place]!, colour: colourAt(index), unit })),
    [laps, place, unit],
  );
  const isOfSeveral = lines.some(({ points }) => points.bucket !== undefined);
  const reach = ((bounds[1] - bounds[0]) / drawnPixels(plotWidth.value, false)) * reachPixels;
  const readings = useMemo(
    () =>
      computed(() => {
        const at = cursorPlace.value;
        return at === undefined ? [] : lines.map(({ points }) => readingAt(points, at, reach));
      }),
    [lines, reach],
  );
  return (
    <div class={`plot-row overlay ${isOfSeveral ? 'of-several' : ''}`}>
      <header>
        <h3>{parameter}</h3>
        {unit !== '' && <span class="soft">{unit}</span>}
        <PointTime buckets={lines.flatMap(({ points }) => points.bucket ?? [])} />
        <Readings
          lines={laps.map((lap, i) => ({
            key: `${lap.stream.topic}/${lap.stream.streamId}/${lap.value}`,
            label: lapName(lap),
            colour: lines[i]!.colour,
          }))}
          readings={readings}
        />
      </header>
      <OverlayChart
        title={`${parameter}: ${laps.map(lapName).join(', ')}`}
        {...{ lines, bounds, readings }}
      />
    </div>
  );
}

/** How long the points are that stand for several rows: each lap has pixels, and so points, of its own. */
function PointTime({ buckets }: { buckets: readonly bigint[] }) {
  if (buckets.length === 0) return null;
  const longest = buckets.reduce((a, b) => (a > b ? a : b));
  return <span class="pixel soft">1 point = up to {durationText(longest)}</span>;
}

type ChartParts = 'title' | 'lines' | 'bounds' | 'readings';

/** A chart over the axis that laps are laid over. */
export function OverlayChart(parts: Pick<Parameters<typeof Chart>[0], ChartParts>) {
  const { alignBy } = overlay.value;
  const [low, high] = parts.bounds;
  const label = alignBy === '' ? 's since the first row' : `${alignBy} ${unitOf(alignBy)}`;
  const ticks = useMemo(() => numberTicks(label, [low, high]), [label, low, high]);
  const gestures = useMemo(() => acrossGestures([low, high]), [low, high]);
  return (
    <Chart
      {...parts}
      ticks={ticks}
      hasRightScale={false}
      width={plotWidth.value}
      height={240}
      group="overlay"
      onCursor={(place) => {
        cursorPlace.value = place;
      }}
      gestures={gestures}
    />
  );
}

export function lapName({ stream, value }: Pick<Lap, 'stream' | 'value'>): string {
  if (value === '') return stream.streamId;
  return `${overlay.value.tag} ${value}${streams.value.length > 1 ? ` of ${stream.streamId}` : ''}`;
}

/** Digits that pixels tell apart. */
const placeDigits = 6;

/** Where the pointer is. */
export function CursorPlace() {
  const { alignBy } = overlay.value;
  const place = cursorPlace.value;
  const text = place === undefined ? '' : numberText(Number(place.toPrecision(placeDigits)));
  return (
    <output class="cursor-time" aria-label="Place at the cursor">
      {text !== '' && (alignBy === '' ? `${text} s` : `${alignBy} ${text} ${unitOf(alignBy)}`)}
    </output>
  );
}
