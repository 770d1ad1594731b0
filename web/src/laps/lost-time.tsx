import { chosenPlaces } from '../state/view.ts';
import { cursorPlace } from './across.ts';
import { deltaOf, deltaText } from './delta.ts';
import { load } from './overlay-drawn.ts';
import { lapName } from './overlay-plot.tsx';

/** Time that each lap lost against the first one. */
export function LostTime() {
  const { a, b } = chosenPlaces.value;
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
