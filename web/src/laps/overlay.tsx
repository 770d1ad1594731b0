import { hasNoChannels, NoChannelsYet } from '../channels/no-channels.tsx';
import { isStates, plotted } from '../channels/plotted.ts';
import type { Bounds } from '../lines/bounds.ts';
import { onPlotKey } from '../plots/keys.ts';
import { notes } from '../plots/note-load.ts';
import { Stack, type StackRow } from '../plots/stack.tsx';
import { isLive, plots } from '../state/view.ts';
import type { LapSource } from '../state/view-text.ts';
import { Empty, Problem } from '../ui/notice.tsx';
import { across, acrossKeys, restedAcross } from './across.ts';
import { AcrossAxis } from './across-axis.tsx';
import { Choices } from './choices.tsx';
import { DeltaPlot, hasDelta } from './delta-plot.tsx';
import { lapList } from './lap-list.ts';
import { beginLapNote } from './lap-notes.ts';
import { lapWays } from './lap-ways.ts';
import { laps, load, seenAcross } from './overlay-drawn.ts';
import { type OverlayLoad, pointsOf } from './overlay-load.ts';
import { OverlayPlot } from './overlay-plot.tsx';
import { comparedLaps, lapValues, overlay } from './overlay-state.ts';
import { mayHaveStrips, OverlayStrips } from './overlay-strips.tsx';
import { isBestAsked } from './picks.ts';

/** Laps, runs or whole streams laid over each other. */
export function Overlay() {
  const { value, error, busy, retry } = load.value;
  const { source, alignBy } = overlay.value;
  const compared = comparedLaps.value;
  const { numbers = [], texts = [] } = plotted.value ?? {};
  const isAny = numbers.length + texts.length > 0;
  // Live, new rows are read all the time.
  const isReading = (busy || laps.value.busy || lapList.value.busy) && !(isLive.value && value !== undefined);
  const isBusy = isReading || across.value !== restedAcross.value;
  const bounds = seenAcross.value;
  const isEmpty = compared.length === 0;
  const isAsked = isBestAsked.value;
  return (
    <section
      class="plots"
      aria-label="Overlay"
      aria-busy={isBusy}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the keys that move and zoom the plots need a place to be pressed in
      tabIndex={0}
      onKeyDown={(event) =>
        bounds &&
        onPlotKey(
          event,
          acrossKeys(bounds, placesOf(value), (place) =>
            beginLapNote(value?.laps ?? [], place, notes.peek()),
          ),
        )
      }
    >
      <Choices />
      {value !== undefined && !mayHaveStrips(value) && <NotDrawn names={texts} />}
      {lapWays.value.error !== undefined && (
        <Problem error={lapWays.value.error} onRetry={lapWays.value.retry} />
      )}
      {laps.value.error !== undefined && <Problem error={laps.value.error} onRetry={laps.value.retry} />}
      {error !== undefined && <Problem error={error} onRetry={retry} />}
      {!isAny && hasNoChannels.value && <NoChannelsYet />}
      {!isAny && !hasNoChannels.value && (
        <Empty title="Choose a channel">
          <p>Tick the channels to compare on the left.</p>
        </Empty>
      )}
      {isAny && isEmpty && source.kind !== 'none' && !isAsked && <NothingTicked source={source} />}
      {value?.laps.length === 0 && !isBusy && !isEmpty && <Empty title="No rows in this range" />}
      {(isAsked || (value === undefined && isBusy && !isEmpty)) && <Empty title="Loading…" />}
      {!isAsked && value !== undefined && bounds !== undefined && value.laps.length > 0 && (
        <>
          <Stack rows={rowsOf(value, bounds, alignBy !== '')} />
          <AcrossAxis bounds={bounds} />
        </>
      )}
    </section>
  );
}

/** Says what to tick, where there is something. */
function NothingTicked({ source: { kind, name } }: { source: LapSource }) {
  return lapValues.value.value?.length === 0 ? (
    <Empty title={`No row of these runs has the ${kind} ${name}`}>
      <p>Choose another one above, or none: then whole runs are compared.</p>
    </Empty>
  ) : (
    <Empty title="Choose laps">
      <p>
        Tick those to lay over each other, here or under Laps. With laps by none, whole runs are compared.
      </p>
    </Empty>
  );
}

/** Text has no place where a lap goes back and forth, as speed does. */
function NotDrawn({ names }: { names: readonly string[] }) {
  if (names.length === 0) return null;
  return (
    <p class="soft hint">Not drawn here: {names.join(', ')}. Text is drawn over time and along a way.</p>
  );
}

/** The time between laps first, where they go along a way; then one parameter below the other. */
function rowsOf(load: OverlayLoad, bounds: Bounds, isAlongWay: boolean): StackRow[] {
  const delta = {
    name: 'Δt',
    draw: (height: number) => <DeltaPlot laps={load.laps} {...{ bounds, height }} />,
  };
  return [
    ...(isAlongWay && hasDelta(load.laps) ? [delta] : []),
    ...plottedIn(load).map((parameter) =>
      isStrips(parameter, load)
        ? {
            name: parameter,
            share: stripShare,
            draw: (height: number) => <OverlayStrips {...{ parameter, load, bounds, height }} />,
          }
        : {
            name: parameter,
            draw: (height: number) => <OverlayPlot {...{ parameter, load, bounds, height }} />,
          },
    ),
  ];
}

/** A plot of strips is less high. */
const stripShare = 0.35;

/** In the order of the plots; text where it has a place. */
function plottedIn(load: OverlayLoad): string[] {
  const { numbers, texts } = load.names;
  const drawn = [...numbers, ...(mayHaveStrips(load) ? texts : [])];
  return [...new Set(plots.value.flat())].filter((name) => drawn.includes(name));
}

function isStrips(parameter: string, load: OverlayLoad): boolean {
  return mayHaveStrips(load) && isStates(parameter);
}

/** Of the first lap that has rows. */
function placesOf(load: OverlayLoad | undefined): Float64Array {
  const all = load?.laps.flatMap(pointsOf) ?? [];
  return all.find(({ x }) => x.length > 0)?.x ?? new Float64Array();
}
