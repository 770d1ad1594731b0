import type { Look } from '../lines/colours.ts';
import { numberText } from '../lines/reading.ts';
import { Swatch } from '../lines/swatch.tsx';
import { SmallHistogram } from '../measure/small-histogram.tsx';
import { type Place, StatisticsList } from '../measure/statistics-list.tsx';
import { Values } from '../measure/values.tsx';
import { unitOf } from '../plots/axes.ts';
import { chosenPlaces } from '../state/view.ts';
import { cursorPlace, goToPlace } from './across.ts';
import { histograms, statistics } from './lap-statistics.ts';
import { type MeasuredLap, whyNotMeasured } from './measured-laps.ts';
import type { DrawnLap } from './overlay-load.ts';
import { lapKey, lapName } from './overlay-plot.tsx';
import { overlay } from './overlay-state.ts';
import { readLap } from './read-lap.ts';

/** What one channel of a lap says at the cursor and at A and B, and statistics of its rows. */
export function LapValues({
  parameter,
  channel,
  lap,
  look,
  reach,
}: {
  parameter: string;
  /** Which of the channels it is. */
  channel: number;
  lap: DrawnLap;
  look: Look;
  reach: number;
}) {
  const { a, b } = chosenPlaces.value;
  const read = (at: number | undefined) =>
    at === undefined ? undefined : readLap({ lap, parameter, points: lap.points[channel]! }, at, reach);
  return (
    <section class="values">
      <h3>
        <Swatch look={look} />
        {parameter} <span class="soft">{unitOf(parameter)}</span> {lapName(lap)}
      </h3>
      <Values
        read={{ cursor: read(cursorPlace.value), a: read(a), b: read(b) }}
        hasA={a !== undefined}
        hasB={b !== undefined}
      />
      <LapStatistics parameter={parameter} lap={lap} />
    </section>
  );
}

/** Where a lap was at a time. */
function placeIn({ course }: DrawnLap, time: bigint): Place | undefined {
  const place = course.placeAt(time);
  if (place === undefined) return undefined;
  const unit = overlay.value.alignBy === '' ? 's' : unitOf(overlay.value.alignBy);
  const text = `${numberText(Number(place.toPrecision(6)))} ${unit}`.trim();
  return { short: text, whole: text, go: () => goToPlace(place) };
}

function LapStatistics({ parameter, lap }: { parameter: string; lap: DrawnLap }) {
  const whyNot = whyNotMeasured(lap);
  if (whyNot !== undefined) return <p class="soft">– {whyNot}</p>;
  const { a, b } = chosenPlaces.value;
  const hasBoth = a !== undefined && b !== undefined;
  const key = lapKey(lap);
  const isOwn = (found: { readonly of: MeasuredLap; readonly parameter: string }) =>
    found.parameter === parameter && lapKey(found.of.lap) === key;
  const { value, busy } = statistics.value;
  const own = value?.find(isOwn);
  if (own === undefined) return busy ? null : <p class="soft">–</p>;
  const histogram = histograms.value.value?.find(isOwn);
  return (
    <>
      {hasBoth && !lap.course.isExact && (
        <p class="soft">≈ Its way is made of means: A and B are not exact.</p>
      )}
      <StatisticsList own={own} placeOf={(time) => placeIn(lap, time)} />
      {histogram !== undefined && (
        <SmallHistogram parameter={parameter} whose={lapName(lap)} bins={histogram.bins} />
      )}
    </>
  );
}
