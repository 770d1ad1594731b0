import { lookAmong } from '../channels/looks.ts';
import { Swatch } from '../lines/swatch.tsx';
import { durationText, shortTimeText, timeText } from '../lines/time-text.ts';
import type { Trace } from '../lines/traces.ts';
import { unitOf } from '../plots/axes.ts';
import { clearCursors, cursorTime } from '../plots/cursor.ts';
import { drawn } from '../plots/drawn.ts';
import { NoteSection, notesWithin } from '../plots/note-list.tsx';
import { notes } from '../plots/note-load.ts';
import { isStrip } from '../plots/plot-parts.ts';
import { goTo, seenRange } from '../plots/range.ts';
import { readTrace } from '../plots/read-trace.ts';
import { runOf } from '../plots/run-of.ts';
import { streamName } from '../runs/stream-name.ts';
import { isStream } from '../state/same-stream.ts';
import { chosenCursors, isLive, mode, plots, streams } from '../state/view.ts';
import type { StreamRef } from '../state/view-text.ts';
import { Problem } from '../ui/notice.tsx';
import { HowToMeasure } from './how-to.tsx';
import { histograms } from './range-histograms.ts';
import { measured, statistics } from './range-statistics.ts';
import { SmallHistogram } from './small-histogram.tsx';
import { type Place, StatisticsList } from './statistics-list.tsx';
import { Values } from './values.tsx';

/** Values at the cursor and at A and B, and statistics of what lies between. */
export function Measure() {
  const { a, b } = chosenCursors.value;
  const between = a !== undefined && b !== undefined ? b - a : undefined;
  if (mode.value !== 'time') return <p class="soft">Over time, values and statistics are told here.</p>;
  return (
    <section class="measure" aria-label="Measure" aria-busy={statistics.value.busy}>
      <HowToMeasure />
      <dl class="pairs">
        <Moment name="A" time={a} />
        <Moment name="B" time={b} />
        {between !== undefined && (
          <div class="pair">
            <dt>B − A</dt>
            <dd>
              {durationText(between)} <small class="soft">{String(between)} ns</small>
            </dd>
          </div>
        )}
      </dl>
      {a !== undefined && (
        <button type="button" onClick={clearCursors}>
          Take A and B away
        </button>
      )}
      {statistics.value.error !== undefined && (
        <Problem
          error={statistics.value.error}
          onRetry={statistics.value.retry}
          isAll={statistics.value.value === undefined}
        />
      )}
      <p class="soft">Statistics {between === undefined ? 'of all that is seen' : 'from A to B'}:</p>
      <Channels a={a} b={b} />
      <Notes />
    </section>
  );
}

/** Notes of what is measured. */
function Notes() {
  const within = isLive.value ? seenRange.value : measured.value;
  const own = within === undefined ? [] : notesWithin(notes.value, within);
  return <NoteSection notes={own.map((note) => ({ note }))} />;
}

function Moment({ name, time }: { name: string; time: bigint | undefined }) {
  return (
    <div class="pair">
      <dt>{name}</dt>
      <dd>{time === undefined ? 'not set' : <small>{timeText(time)}</small>}</dd>
    </div>
  );
}

function placeOf(time: bigint): Place {
  const [, clock = ''] = shortTimeText(time).split(' ');
  return { short: clock, whole: timeText(time), go: () => goTo(time) };
}

/** Line by line in the order of the plots. */
function Channels({ a, b }: { a: bigint | undefined; b: bigint | undefined }) {
  const load = drawn.value;
  if (load === undefined) return null;
  const read = (trace: Trace, time: bigint | undefined) =>
    time === undefined ? undefined : readTrace(trace, load.origin, time);
  const order = plots.value.flat();
  const traces = load.traces
    .filter(({ parameter }) => order.includes(parameter))
    .sort((one, other) => order.indexOf(one.parameter) - order.indexOf(other.parameter));
  return (
    <>
      {traces.map((trace) => {
        const { stream, parameter } = trace;
        const isOwn = ({ of, parameter: name }: { of: { stream: StreamRef }; parameter: string }) =>
          name === parameter && isStream(of.stream, stream);
        const own = statistics.value.value?.find(isOwn);
        const histogram = own && histograms.value.value?.find(isOwn);
        return (
          <section key={`${stream.topic}/${stream.streamId}/${parameter}`} class="values">
            <h3>
              {!isStrip(trace) && (
                <Swatch look={lookAmong(parameter, runOf(trace.stream), streams.value.length)} />
              )}
              {parameter} <span class="soft">{unitOf(parameter)}</span>
              {streams.value.length > 1 && <span class="soft"> {streamName(trace.stream)}</span>}
            </h3>
            <Values
              read={{ cursor: read(trace, cursorTime.value), a: read(trace, a), b: read(trace, b) }}
              hasA={a !== undefined}
              hasB={b !== undefined}
            />
            {own !== undefined && <StatisticsList own={own} placeOf={placeOf} />}
            {histogram !== undefined && <SmallHistogram parameter={parameter} bins={histogram.bins} />}
          </section>
        );
      })}
    </>
  );
}
