import { plotted, plottedNumbers } from '../channels/plotted.ts';
import type { Bounds } from '../lines/bounds.ts';
import { onPlotKey } from '../plots/keys.ts';
import { notes } from '../plots/note-load.ts';
import { Stack, type StackRow } from '../plots/stack.tsx';
import { isLive } from '../state/view.ts';
import { Empty, Problem } from '../ui/notice.tsx';
import { across, acrossKeys, restedAcross } from './across.ts';
import { AcrossAxis } from './across-axis.tsx';
import { Choices } from './choices.tsx';
import { DeltaPlot, hasDelta } from './delta-plot.tsx';
import { lapList } from './lap-list.ts';
import { beginLapNote } from './lap-notes.ts';
import { laps, load, seenAcross } from './overlay-drawn.ts';
import type { OverlayLoad } from './overlay-load.ts';
import { OverlayPlot } from './overlay-plot.tsx';
import { comparedLaps, overlay } from './overlay-state.ts';

/** Laps, runs or whole streams laid over each other. */
export function Overlay() {
  const { value, error, busy, retry } = load.value;
  const { tag, alignBy } = overlay.value;
  const compared = comparedLaps.value;
  const parameters = plottedNumbers.value;
  // Live, new rows are read all the time.
  const isReading = (busy || laps.value.busy || lapList.value.busy) && !(isLive.value && value !== undefined);
  const isBusy = isReading || across.value !== restedAcross.value;
  const bounds = seenAcross.value;
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
      <NotDrawn names={plotted.value?.texts ?? []} />
      {laps.value.error !== undefined && <Problem error={laps.value.error} onRetry={laps.value.retry} />}
      {error !== undefined && <Problem error={error} onRetry={retry} />}
      {parameters.length === 0 && (
        <Empty title="Choose a channel">
          <p>Tick the channels to compare on the left.</p>
        </Empty>
      )}
      {parameters.length > 0 && tag !== '' && compared.length === 0 && (
        <Empty title="Choose laps">
          <p>
            Tick those to lay over each other, here or under Laps. Without a tag, whole runs are compared.
          </p>
        </Empty>
      )}
      {value?.laps.length === 0 && !isBusy && compared.length > 0 && <Empty title="No rows in this range" />}
      {value === undefined && isBusy && compared.length > 0 && <Empty title="Loading…" />}
      {value !== undefined && bounds !== undefined && value.laps.length > 0 && (
        <>
          <Stack rows={rowsOf(value, bounds, alignBy !== '')} />
          <AcrossAxis bounds={bounds} />
        </>
      )}
    </section>
  );
}

/** Text is plotted, and laps have lines of numbers only. */
function NotDrawn({ names }: { names: readonly string[] }) {
  if (names.length === 0) return null;
  return <p class="soft hint">Not drawn here: {names.join(', ')}. Text is drawn over time only.</p>;
}

/** The time between laps first, where they go along a way; then one parameter below the other. */
function rowsOf(load: OverlayLoad, bounds: Bounds, isAlongWay: boolean): StackRow[] {
  const delta = {
    name: 'Δt',
    draw: (height: number) => <DeltaPlot laps={load.laps} {...{ bounds, height }} />,
  };
  return [
    ...(isAlongWay && hasDelta(load.laps) ? [delta] : []),
    ...load.parameters.map((parameter) => ({
      name: parameter,
      draw: (height: number) => <OverlayPlot {...{ parameter, load, bounds, height }} />,
    })),
  ];
}

/** Of the first lap that has rows. */
function placesOf(load: OverlayLoad | undefined): Float64Array {
  const all = load?.laps.flatMap(({ points }) => points) ?? [];
  return all.find(({ x }) => x.length > 0)?.x ?? new Float64Array();
}
