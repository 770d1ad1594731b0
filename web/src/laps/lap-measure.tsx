import { channelColour, dashAt } from '../lines/colours.ts';
import { differenceText } from '../lines/difference.ts';
import { numberText, readingAt } from '../lines/reading.ts';
import { Swatch } from '../lines/swatch.tsx';
import { HowToMeasure } from '../measure/how-to.tsx';
import { Values } from '../measure/values.tsx';
import { unitOf } from '../plots/axes.ts';
import { chosenPlaces } from '../state/view.ts';
import { clearPlaces, cursorPlace } from './across.ts';
import { deltaOf, deltaText } from './delta.ts';
import { load, seenAcross } from './overlay-drawn.ts';
import { lapName } from './overlay-plot.tsx';
import { overlay } from './overlay-state.ts';
import { reachOf } from './use-readings.ts';

/** Of laps over each other: time lost and values at the cursor and at A and B, and how much of it between them. */
export function LapMeasure() {
  const { a, b } = chosenPlaces.value;
  const { value } = load.value;
  const bounds = seenAcross.value;
  const { alignBy } = overlay.value;
  const unit = alignBy === '' ? 's' : unitOf(alignBy);
  if (value === undefined || bounds === undefined) return <p class="soft">Nothing is compared.</p>;
  const reach = reachOf(bounds);
  const place = (name: string, at: number | undefined) => (
    <div class="pair">
      <dt>{name}</dt>
      <dd>{at === undefined ? 'not set' : `${numberText(Number(at.toPrecision(7)))} ${unit}`}</dd>
    </div>
  );
  return (
    <section class="measure" aria-label="Measure">
      <HowToMeasure />
      <dl class="pairs">
        {place('A', a)}
        {place('B', b)}
        {a !== undefined && b !== undefined && place('B − A', b - a)}
      </dl>
      {a !== undefined && (
        <button type="button" onClick={clearPlaces}>
          Take A and B away
        </button>
      )}
      <Lost a={a} b={b} />
      {value.names.numbers.map((parameter, i) =>
        value.laps.map((lap, at) => {
          const isBold = at === 0 && value.laps.length > 1;
          const look = { colour: channelColour(parameter), dash: dashAt(at === 0 ? 0 : lap.index), isBold };
          const read = (at: number | undefined) =>
            at === undefined ? undefined : readingAt(lap.points[i]!, at, reach);
          return (
            <section key={`${parameter} ${lap.index}`} class="values">
              <h3>
                <Swatch look={look} />
                {parameter} <span class="soft">{unitOf(parameter)}</span> {lapName(lap)}
              </h3>
              <Values
                read={{ cursor: read(cursorPlace.value), a: read(a), b: read(b) }}
                hasA={a !== undefined}
                hasB={b !== undefined}
                between={undefined}
              />
              {a !== undefined && b !== undefined && (
                <dl class="pairs">
                  <div class="pair">
                    <dt>B − A</dt>
                    <dd>{differenceText(read(a), read(b))}</dd>
                  </div>
                </dl>
              )}
            </section>
          );
        }),
      )}
    </section>
  );
}

/** Time that each lap lost against the first one. */
function Lost({ a, b }: { a: number | undefined; b: number | undefined }) {
  const [reference, ...others] = load.value.value?.laps ?? [];
  const deltas = others.flatMap((lap) => {
    const delta = deltaOf(lap.course, reference!.course);
    const isExact = lap.course.isExact && reference!.course.isExact;
    return delta === undefined ? [] : [{ lap, delta, isExact }];
  });
  if (reference === undefined || deltas.length === 0) return null;
  return (
    <>
      {deltas.map(({ lap, delta, isExact }) => {
        const at = (place: number | undefined) => (place === undefined ? undefined : delta(place));
        const text = (seconds: number | undefined) =>
          seconds === undefined ? '–' : deltaText(seconds, isExact);
        const [now, atA, atB] = [at(cursorPlace.value), at(a), at(b)];
        const between = atA === undefined || atB === undefined ? undefined : atB - atA;
        return (
          <section key={lap.index} class="values lost">
            <h3>
              Δt {lapName(lap)} to {lapName(reference)}
            </h3>
            <dl class="pairs">
              {[
                ['cursor', now] as const,
                ...(a === undefined ? [] : [['A', atA] as const]),
                ...(b === undefined ? [] : [['B', atB] as const]),
                ...(a === undefined || b === undefined ? [] : [['B − A', between] as const]),
              ].map(([name, seconds]) => (
                <div key={name} class="pair">
                  <dt>{name}</dt>
                  <dd>{text(seconds)}</dd>
                </div>
              ))}
            </dl>
          </section>
        );
      })}
    </>
  );
}
