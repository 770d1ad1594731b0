import { useComputed } from '@preact/signals';
import { isFinding, mapChannels } from '../channels/known-channels.ts';
import { openParameters } from '../channels/parameters.ts';
import { acrossKeys, allAcross } from '../laps/across.ts';
import { beginLapNote } from '../laps/lap-notes.ts';
import { laps, seenAcross } from '../laps/overlay-drawn.ts';
import { comparedLaps } from '../laps/overlay-state.ts';
import { shortText } from '../lines/reading.ts';
import { unitOf } from '../plots/axes.ts';
import { nextPlace, onPlotKey, timeKeys } from '../plots/keys.ts';
import { notes } from '../plots/note-load.ts';
import { showAll } from '../plots/range.ts';
import { useSize } from '../plots/use-size.ts';
import { Problem } from '../ui/notice.tsx';
import { isTouch } from '../ui/touch.ts';
import { LeftOut } from './left-out.tsx';
import { Legend } from './legend.tsx';
import { MapChart } from './map-chart.tsx';
import { MapChoices } from './map-choices.tsx';
import { mapLoad } from './map-load.ts';
import { DrawnText, MapReading } from './map-reading.tsx';
import { fittingHeight } from './map-scales.ts';
import { markRow } from './map-sectors.ts';
import { cursorAlong, type DrawnMap, drawnMap, isOverLaps, marked, pointAt } from './map-state.ts';
import { Ramp } from './ramp.tsx';
import { extremesOf, reach } from './xy-scales.ts';

/** Where the laps or runs went, in step with the plots. */
export function TrackMap() {
  const { x, y } = mapChannels.value;
  const { error, busy, retry } = mapLoad.value;
  const map = drawnMap.value;
  const { host, size } = useSize<HTMLElement>();
  // Its height changes with what is read.
  const width = useComputed(() => size.value.width);
  const isKnown = openParameters.value.value !== undefined && !isFinding.value;
  const isFound = x !== '' && y !== '';
  const rows = map?.lines.flatMap((line) => line.rows) ?? [];
  const isEmpty = rows.every((own) => own.x.length === 0);
  const colour = map?.names[2] ?? '';
  const shade =
    colour === '' || map === undefined
      ? undefined
      : reach([...map.whole, ...map.lines].flatMap((line) => extremesOf(line.rows.shade)));
  return (
    <section
      ref={host}
      class="map"
      aria-label="Map"
      aria-busy={busy}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the keys that move the cursor need a place to be pressed in
      tabIndex={0}
      onKeyDown={onKey}
    >
      <MapChoices />
      {error !== undefined && <Problem error={error} onRetry={retry} isAll={map === undefined} />}
      {isKnown && !isFound && (
        <p class="soft">
          No channels here are called like a position. Choose two: x and y, or longitude and latitude.
        </p>
      )}
      {isFound && map !== undefined && isEmpty && !busy && (
        <p class="soft">
          No row here has both {x} and {y}.
        </p>
      )}
      {isFound && isOverLaps.value && comparedLaps.value.length === 0 && (
        <p class="soft">Tick laps to see them here.</p>
      )}
      {isFound && map !== undefined && !isEmpty && width.value > 0 && (
        <>
          <MapChart
            map={map}
            shade={shade}
            width={width.value}
            height={heightOf(map, width.value)}
            title={`Map of ${map.lines.map(({ label }) => label).join(', ')}`}
            onAll={isOverLaps.value ? allAcross : showAll}
          />
          {shade !== undefined && <ColourScale name={colour} low={shade[0]} high={shade[1]} />}
          {map.lines.length > 1 && <Legend lines={map.lines} />}
          <MapReading map={map} />
          <DrawnText lines={map.lines} />
          <LeftOut rows={map.lines.map(({ rows }) => rows)} />
          <p class="soft hint">
            {isTouch
              ? 'Touch the track to move the cursor.'
              : 'Point at the track to move the cursor. A drag along the track zooms the plots to that stretch, as Shift + drag does on a plot.'}
          </p>
        </>
      )}
    </section>
  );
}

/** Pixels. */
const heights = [150, 400] as const;

function heightOf({ lines, whole }: DrawnMap, width: number): number {
  const paths = [...whole, ...lines].map(({ path }) => path);
  return fittingHeight(paths, width, heights);
}

/** Which colour is which value. */
function ColourScale({ name, low, high }: { name: string; low: number; high: number }) {
  return (
    <p class="map-ramp">
      <span>{name}</span>
      {shortText(low)}
      <Ramp steps={24} />
      {shortText(high)} {unitOf(name)}
    </p>
  );
}

/** The keys of the plots: arrows go from row to row of the first line. */
function onKey(event: KeyboardEvent): void {
  const [line] = drawnMap.value?.lines ?? [];
  if (line === undefined) return;
  const step = (direction: 1 | -1) => {
    const { along } = line;
    const at = cursorAlong(line) ?? along[along.length >> 1] ?? 0;
    const next = nextPlace(along, at, direction);
    if (next >= 0) pointAt(line, next);
  };
  const bounds = seenAcross.value;
  const note = (place: number | undefined) => beginLapNote(laps.value.value ?? [], place, notes.value);
  const actions = isOverLaps.value
    ? bounds && laps.value.value && { ...acrossKeys(bounds, line.along, note), step }
    : timeKeys(step);
  const sector = () => {
    const own = drawnMap.value?.lines.map((_, i) => marked.value[i]).find((row) => row !== undefined);
    if (own !== undefined) markRow(own.line, own.row);
  };
  if (actions !== undefined) onPlotKey(event, { ...actions, sector });
}
