import { speedChannel } from '../channels/known-channels.ts';
import { openParameters } from '../channels/parameters.ts';
import { lookOfLine } from '../lines/colours.ts';
import { shownText } from '../lines/conversions.ts';
import { Swatch } from '../lines/swatch.tsx';
import { news } from '../live/news.ts';
import { streamName } from '../runs/stream-name.ts';
import { isStream } from '../state/same-stream.ts';
import { mode, picks, streams } from '../state/view.ts';
import type { StreamRef } from '../state/view-text.ts';
import { Problem, replacing } from '../ui/notice.tsx';
import { mayGrow } from './driven-laps.ts';
import { bestLap, lapAtCursor, lapList, lapTime, lapTimeText, toBestText } from './lap-list.ts';
import { type LapRow, notWhole } from './lap-rows.ts';
import { counts, isLapSourceComing, isLapSourceKnown } from './lap-source.ts';
import { LapsHead } from './laps-choice.tsx';
import { NoLaps, WhyNone } from './no-laps.tsx';
import { comparedLaps } from './overlay-state.ts';
import { isReference, isTicked, isTickedByPage, makeReference, showLap, toggleLap } from './picks.ts';
import { RunTable } from './run-table.tsx';

/** Laps of the open runs: a click shows one, two ticks lay two over each other. */
export function LapTable() {
  const { value, error, busy, retry } = lapList.value;
  const laps = (value ?? []).filter(({ stream }) => streams.value.some((open) => isStream(open, stream)));
  const ofCounts = counts.value.error;
  const problem = replacing(error ?? ofCounts, laps.length > 0);
  const again = error === undefined ? counts.value.retry : retry;
  if (problem !== undefined) return <Problem error={problem} onRetry={again} isAll />;
  const isComing = busy || isLapSourceComing.value || openParameters.value.busy;
  return (
    <section class="laps" aria-label="Laps" aria-busy={busy}>
      <LapsHead />
      {laps.length > 0 && <p class="soft">{tickText()}</p>}
      {streams.value.map((stream) => (
        <RunLaps
          key={`${stream.topic}/${stream.streamId}`}
          stream={stream}
          laps={laps.filter((lap) => isStream(lap.stream, stream))}
          isAlone={laps.length === 0}
        />
      ))}
      {laps.length === 0 && isComing && <p class="soft">Loading…</p>}
      {laps.length === 0 && !isComing && isLapSourceKnown.value && (
        <>
          <NoLaps />
          <p class="soft">Tick two runs to compare them.</p>
          <RunTable />
        </>
      )}
    </section>
  );
}

function tickText(): string {
  if (!isTickedByPage.value) return 'Tick two to compare them. The first one is the reference (◉).';
  return picks.value.length > 1
    ? 'The two fastest are ticked. Tick others to compare these instead.'
    : 'The fastest is ticked. Tick another to compare that one instead.';
}

/** Nobody looks through more laps than this. */
const mostShown = 500;

function RunLaps({
  stream,
  laps,
  isAlone,
}: {
  stream: StreamRef;
  laps: readonly LapRow[];
  /** Whether no other run has laps, either. */
  isAlone: boolean;
}) {
  const name = streamName(stream);
  if (laps.length === 0) return isAlone ? null : <WhyNone name={name} stream={stream} />;
  return (
    <table class="lap-table">
      <caption>
        {name}
        {laps.length > mostShown && (
          <span class="soft">
            : the first {mostShown} of {laps.length} laps
          </span>
        )}
      </caption>
      <thead>
        <tr>
          <th scope="col">
            <span class="unseen">Compare</span>
          </th>
          <th scope="col">Lap</th>
          <th scope="col">Time</th>
          <th scope="col">Δ</th>
          {speedChannel.value !== undefined && (
            <th scope="col" title={`Largest value of ${speedChannel.value.name}`}>
              Top {speedChannel.value.unit}
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {laps.slice(0, mostShown).map((lap) => (
          <LapLine key={lap.value} lap={lap} name={name} />
        ))}
      </tbody>
    </table>
  );
}

function toBest(lap: LapRow, best: LapRow | undefined): string {
  if (!lap.isWhole) return notWhole;
  return lap === best || best === undefined ? 'best' : toBestText(lapTime(lap) - lapTime(best));
}

/** Live, the last lap lasts until the newest row. */
function lapTimeNow(lap: LapRow): bigint {
  if (lap.isWhole || !mayGrow.value(lap)) return lapTime(lap);
  const newest = news.value?.newest ?? 0n;
  return newest > lap.end ? newest - lap.start : lapTime(lap);
}

/** Which line is the lap's, where several are compared. */
function LapSwatch({ lap }: { lap: LapRow }) {
  const compared = mode.value === 'overlay' ? comparedLaps.value : [];
  const place = compared.findIndex(
    ({ stream, value }) => value === lap.value && isStream(stream, lap.stream),
  );
  return compared.length < 2 || place < 0 ? null : <Swatch look={lookOfLine(place)} />;
}

function LapLine({ lap, name }: { lap: LapRow; name: string }) {
  const best = bestLap.value;
  const isBest = lap === best;
  const isAtCursor = lap === lapAtCursor.value;
  const time = `${lap.isExact || !lap.isWhole ? '' : '≈ '}${lapTimeText(lapTimeNow(lap))}`;
  return (
    <tr
      class={`${isBest ? 'best' : ''} ${lap.isWhole ? '' : 'not-whole'} ${isTicked(lap) ? 'ticked' : ''} ${isAtCursor ? 'at-cursor' : ''}`}
    >
      <td class="choices-of-lap">
        <input
          type="checkbox"
          aria-label={`Compare lap ${lap.value} of ${name}`}
          checked={isTicked(lap)}
          onChange={({ currentTarget: box }) => {
            toggleLap(lap);
            // Of two that the page had ticked, it may be the one that stays.
            box.checked = isTicked(lap);
          }}
        />
        <input
          type="radio"
          name="reference"
          aria-label={`Lap ${lap.value} of ${name} is the reference`}
          title={isReference(lap) ? 'The reference' : 'Make this lap the reference'}
          checked={isReference(lap)}
          disabled={!isTicked(lap)}
          onChange={() => makeReference(lap)}
        />
      </td>
      <th scope="row">
        <LapSwatch lap={lap} />
        <button type="button" class="quiet" title="Show this lap" onClick={() => showLap(lap)}>
          {lap.value}
        </button>
      </th>
      <td title={lap.whyNotWhole}>{time}</td>
      <td title={lap.whyNotWhole} class={lap.isWhole ? '' : 'why'}>
        {toBest(lap, best)}
      </td>
      {speedChannel.value !== undefined && (
        <td title={lap.topSpeed === undefined ? undefined : shownText(speedChannel.value.id, lap.topSpeed)}>
          {lap.topSpeed === undefined ? '' : lap.topSpeed.toFixed(1)}
        </td>
      )}
    </tr>
  );
}
