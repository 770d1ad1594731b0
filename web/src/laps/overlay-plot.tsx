import { useMemo } from 'preact/hooks';
import { limitsOf } from '../channels/limits.ts';
import { areSteps, channelLook, lookAmong } from '../channels/looks.ts';
import { sparkOf } from '../channels/sparks.ts';
import type { Bounds } from '../lines/bounds.ts';
import type { Look } from '../lines/colours.ts';
import { followed } from '../lines/followed.ts';
import { isDark } from '../lines/scheme.ts';
import { mayBeStates } from '../lines/states.ts';
import { durationText } from '../lines/time-text.ts';
import type { Trace } from '../lines/traces.ts';
import { unitOf } from '../plots/axes.ts';
import { axesOf, isLogAxis, resetScale } from '../plots/axis-scales.ts';
import { ChannelMenu } from '../plots/channel-menu.tsx';
import { Chart } from '../plots/chart.tsx';
import { FlagValues } from '../plots/flag-values.tsx';
import { flagsOf } from '../plots/flags.ts';
import { Numberless, numberless } from '../plots/no-numbers.tsx';
import { notes } from '../plots/note-load.ts';
import { NowValues } from '../plots/now-values.tsx';
import { numberTicks } from '../plots/number-ticks.ts';
import { PlotFrame } from '../plots/plot-frame.tsx';
import { Readings } from '../plots/readings.tsx';
import { scaleRange } from '../plots/unit-range.ts';
import { plotWidth } from '../plots/width.ts';
import { streamName } from '../runs/stream-name.ts';
import { isStream } from '../state/same-stream.ts';
import { chosenLooks, chosenPlaces, isLive, streams } from '../state/view.ts';
import { acrossGestures, cursorPlace, keyPlace } from './across.ts';
import type { Lap } from './course-load.ts';
import { mayGrow } from './driven-laps.ts';
import { noteFlagsOf } from './lap-notes.ts';
import type { OverlayLoad } from './overlay-load.ts';
import { overlay } from './overlay-state.ts';
import { sectorFlags } from './sector-flags.ts';
import { flagRowsOf, useReadings } from './use-readings.ts';

/** One parameter of all laps. */
export function OverlayPlot({
  parameter,
  load,
  bounds,
  height,
}: {
  parameter: string;
  load: OverlayLoad;
  bounds: Bounds;
  height: number;
}) {
  const { laps, names } = load;
  const unit = unitOf(parameter);
  const place = names.numbers.indexOf(parameter);
  const lines = useMemo(() => {
    const isSteps = laps.every(({ points }) => areSteps(parameter, points[place]!));
    return laps.map((lap) => ({
      lap,
      parameter,
      points: lap.points[place]!,
      ...lookAmong(parameter, lap.index, laps.length),
      unit,
      limits: limitsOf(parameter),
      isSteps,
      isLog: isLogAxis(parameter),
    }));
  }, [
    laps,
    place,
    unit,
    isDark.value,
    parameter,
    channelLook(parameter),
    chosenLooks.value[parameter],
    sparkOf(parameter) !== undefined,
    isLogAxis(parameter),
  ]);
  const noteFlags = useMemo(() => noteFlagsOf(laps, notes.value), [laps, notes.value]);
  const chosen = axesOf(parameter).find((axis) => axis.unit === unit)?.bounds;
  const scales = useMemo(() => new Map(chosen && [[unit, chosen] as const]), [unit, chosen]);
  const readings = useReadings(lines, bounds);
  const odd = numberless(lines, bounds);
  return (
    <div class="plot-row overlay">
      <PlotFrame
        shape={JSON.stringify([parameter, laps.map(lapKey), isLive.value, odd])}
        height={height}
        head={
          <>
            <header>
              <h2>{parameter}</h2>
              {unit !== '' && <span class="soft">{unit}</span>}
              <ChannelMenu
                parameter={parameter}
                mayBeStates={laps.every(({ points }) => mayBeStates(points[place]!))}
                seen={() => scaleRange({ lines, bounds, height, scales }, unit)}
              />
              <PointTime buckets={lines.flatMap(({ points }) => points.bucket ?? [])} />
              <Numberless said={odd} />
              <Readings
                lines={laps.map((lap, i) => ({
                  key: lapKey(lap),
                  label: briefName(lap, laps),
                  look: lines[i],
                  isBanded: lines[i]!.points.bucket !== undefined,
                }))}
                readings={readings}
              />
              <FlagValues rows={flagRowsOf(lines, lines, [], bounds)} />
            </header>
            {isLive.value && <LiveValues parameter={parameter} laps={laps} looks={lines} />}
          </>
        }
        draw={(drawnHeight) => (
          <OverlayChart
            title={`${parameter}: ${laps.map(lapName).join(', ')}`}
            {...{ lines, bounds, readings, scales }}
            height={drawnHeight}
            onResetScale={() => resetScale(parameter, unit)}
            notes={noteFlags}
            hasNoteTexts={place === 0}
          />
        )}
      />
    </div>
  );
}

/** What the laps that are being driven say now. */
function LiveValues({
  parameter,
  laps,
  looks,
}: {
  parameter: string;
  laps: readonly Lap[];
  /** Of each lap. */
  looks: readonly Look[];
}) {
  const traces = (followed.value?.traces ?? []).filter((trace) => trace.parameter === parameter);
  const lookOf = ({ stream }: Trace) =>
    looks[laps.findLastIndex((lap) => mayGrow.value(lap) && isStream(lap.stream, stream))];
  return <NowValues traces={traces} looks={traces.map(lookOf)} />;
}

/** How long the points are that stand for several rows: each lap has pixels, and so points, of its own. */
export function PointTime({ buckets }: { buckets: readonly bigint[] }) {
  if (buckets.length === 0) return null;
  const longest = buckets.reduce((a, b) => (a > b ? a : b));
  return <span class="pixel soft">1 point = up to {durationText(longest, 3)}</span>;
}

/** What the axis of laps decides. */
type OwnParts = 'ticks' | 'rightScales' | 'width' | 'group' | 'onCursor' | 'gestures' | 'keyPlace' | 'flags';

/** A chart over the axis that laps are laid over. */
export function OverlayChart(parts: Omit<Parameters<typeof Chart>[0], OwnParts>) {
  const [low, high] = parts.bounds;
  const ticks = useMemo(() => numberTicks('', [low, high]), [low, high]);
  const { a, b } = chosenPlaces.value;
  const ends = sectorFlags.value;
  const flags = useMemo(() => [...flagsOf(a, b), ...ends], [a, b, ends]);
  const gestures = useMemo(() => acrossGestures([low, high]), [low, high]);
  return (
    <Chart
      {...parts}
      ticks={ticks}
      rightScales={0}
      width={plotWidth.value}
      group="overlay"
      onCursor={(place) => {
        cursorPlace.value = place;
        keyPlace.value = undefined;
      }}
      gestures={gestures}
      keyPlace={keyPlace}
      flags={flags}
    />
  );
}

/** Without the run, where the lap alone is told apart; Δt says the whole. */
export function briefName(lap: Lap, laps: readonly Lap[]): string {
  const isOne = laps.every((other) => other === lap || other.value !== lap.value);
  return lap.value !== '' && isOne ? `${overlay.value.source.name} ${lap.value}` : lapName(lap);
}

/** The same for no other lap. */
export function lapKey({ stream, value }: Pick<Lap, 'stream' | 'value'>): string {
  return `${stream.topic}/${stream.streamId}/${value}`;
}

export function lapName({ stream, value }: Pick<Lap, 'stream' | 'value'>): string {
  if (value === '') return streamName(stream);
  return `${overlay.value.source.name} ${value}${streams.value.length > 1 ? ` of ${streamName(stream)}` : ''}`;
}
