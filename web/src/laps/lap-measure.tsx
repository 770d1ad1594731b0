import { lookAmong } from '../channels/looks.ts';
import type { Bounds } from '../lines/bounds.ts';
import { numberText } from '../lines/reading.ts';
import { HowToMeasure } from '../measure/how-to.tsx';
import { unitOf } from '../plots/axes.ts';
import { NoteSection } from '../plots/note-list.tsx';
import { notes } from '../plots/note-load.ts';
import { chosenPlaces } from '../state/view.ts';
import { Problem } from '../ui/notice.tsx';
import { bringPlaceToMiddle, clearPlaces } from './across.ts';
import { noteFlagsOf } from './lap-notes.ts';
import { statistics } from './lap-statistics.ts';
import { LapValues } from './lap-values.tsx';
import { LostTime } from './lost-time.tsx';
import { measuredLaps } from './measured-laps.ts';
import { load, seenAcross } from './overlay-drawn.ts';
import { lapKey } from './overlay-plot.tsx';
import { overlay } from './overlay-state.ts';
import { reachOf } from './read-lap.ts';

/** Of laps over each other: time lost and values at the cursor and at A and B, how much of it between them, and statistics. */
export function LapMeasure() {
  const { a, b } = chosenPlaces.value;
  const { value } = load.value;
  const bounds = seenAcross.value;
  const { alignBy } = overlay.value;
  const unit = alignBy === '' ? 's' : unitOf(alignBy);
  if (value === undefined || bounds === undefined) return <p class="soft">Nothing is compared.</p>;
  const { laps, names } = value;
  const hasBoth = a !== undefined && b !== undefined;
  const { busy, error, retry } = statistics.value;
  const place = (name: string, at: number | undefined) => (
    <div class="pair">
      <dt>{name}</dt>
      <dd>{at === undefined ? 'not set' : `${numberText(Number(at.toPrecision(7)))} ${unit}`}</dd>
    </div>
  );
  return (
    <section class="measure" aria-label="Measure" aria-busy={busy}>
      <HowToMeasure />
      <dl class="pairs">
        {place('A', a)}
        {place('B', b)}
        {hasBoth && place('B − A', b - a)}
      </dl>
      {a !== undefined && (
        <button type="button" onClick={clearPlaces}>
          Take A and B away
        </button>
      )}
      {error !== undefined && (
        <Problem error={error} onRetry={retry} isAll={statistics.value.value === undefined} />
      )}
      <LostTime />
      {names.numbers.length > 0 && (
        <p class="soft">Statistics {hasBoth ? 'from A to B' : 'of all that is seen'}:</p>
      )}
      {names.numbers.map((parameter, channel) =>
        laps.map((lap) => (
          <LapValues
            key={`${parameter} ${lapKey(lap)}`}
            look={lookAmong(parameter, lap.index, laps.length)}
            reach={reachOf(bounds)}
            {...{ parameter, channel, lap }}
          />
        )),
      )}
      <Notes bounds={bounds} />
    </section>
  );
}

/** Notes of what is measured, in the order of their places. */
function Notes({ bounds }: { bounds: Bounds }) {
  const measured = measuredLaps.value.map(({ lap, range }) => ({ ...lap, range }));
  const own = noteFlagsOf(measured, notes.value);
  return (
    <NoteSection
      notes={own.map(({ note, place }) => ({ note, onChoose: () => bringPlaceToMiddle(bounds, place) }))}
    />
  );
}
