import { useMemo } from 'preact/hooks';
import { namesOf } from '../channels/named-values.ts';
import type { Bounds } from '../lines/bounds.ts';
import { lookOfLine } from '../lines/colours.ts';
import { type StateLine, statesOf } from '../lines/states.ts';
import { valueName } from '../lines/value-names.ts';
import { ChannelMenu } from '../plots/channel-menu.tsx';
import { FlagValues } from '../plots/flag-values.tsx';
import { PlotFrame } from '../plots/plot-frame.tsx';
import { Readings } from '../plots/readings.tsx';
import type { LapLine, OverlayLoad } from './overlay-load.ts';
import { briefName, lapKey, lapName, OverlayChart, PointTime } from './overlay-plot.tsx';
import { flagRowsOf, useReadings } from './use-readings.ts';

/** Whether a state has a place in each lap: along a way, or over time. */
export function mayHaveStrips({ laps }: OverlayLoad): boolean {
  return laps.every(({ course }) => course.isOneWay);
}

/** There is no scale, and no line. */
const noScales: ReadonlyMap<string, Bounds> = new Map();
const noLines: readonly [] = [];

/** One parameter of all laps as states: a strip for each lap. */
export function OverlayStrips({
  parameter,
  load: { laps, names },
  bounds,
  height,
}: {
  parameter: string;
  load: OverlayLoad;
  bounds: Bounds;
  height: number;
}) {
  const number = names.numbers.indexOf(parameter);
  const text = names.texts.indexOf(parameter);
  const lines = useMemo(
    () =>
      laps.map((lap): LapLine & StateLine => {
        const own = number < 0 ? lap.texts[text]! : { points: lap.points[number]! };
        return {
          ...own,
          lap,
          parameter,
          place: lap.course.placeAt,
          nameOf: (value) => valueName(parameter, value),
        };
      }),
    [laps, number, text, parameter, namesOf(parameter)],
  );
  const strips = useMemo(
    () => laps.map((lap, i) => ({ name: briefName(lap, laps), states: statesOf(lines[i]!) })),
    [laps, lines],
  );
  const readings = useReadings(lines, bounds);
  return (
    <div class="plot-row overlay">
      <PlotFrame
        shape={JSON.stringify([parameter, laps.map(lapKey)])}
        height={height}
        head={
          <header>
            <h2>{parameter}</h2>
            {number >= 0 && <ChannelMenu parameter={parameter} mayBeStates={true} seen={() => [0, 1]} />}
            <PointTime buckets={lines.flatMap(({ points }) => points.bucket ?? [])} />
            <Readings
              lines={laps.map((lap) => ({
                key: lapKey(lap),
                label: briefName(lap, laps),
                look: laps.length > 1 ? lookOfLine(lap.index) : undefined,
                isBanded: false,
              }))}
              readings={readings}
            />
            <FlagValues
              rows={flagRowsOf(
                lines,
                [],
                laps.map((lap) => briefName(lap, laps)),
                bounds,
              )}
            />
          </header>
        }
        draw={(drawnHeight) => (
          <OverlayChart
            title={`${parameter}: ${laps.map(lapName).join(', ')}`}
            lines={noLines}
            scales={noScales}
            onResetScale={() => undefined}
            notes={[]}
            hasNoteTexts={false}
            {...{ strips, bounds, readings }}
            height={drawnHeight}
          />
        )}
      />
    </div>
  );
}
