import { effect, type ReadonlySignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { Bounds } from '../lines/bounds.ts';
import type { Mark } from '../lines/reading.ts';
import { isDark } from '../lines/scheme.ts';
import { leftSize, rightRoom } from './axes.ts';
import { axisClicks } from './axis-clicks.ts';
import { drawAxisMarks, unitRoom } from './axis-marks.ts';
import { chartAxes } from './chart-axes.ts';
import { isPointedAt, putCursor } from './chart-cursor.ts';
import { drawLimits } from './draw-limits.ts';
import { type DrawnLine, drawLines } from './draw-points.ts';
import { drawStrips, type Strip } from './draw-strips.ts';
import type { Flag } from './flags.ts';
import { type Gestures, gestures } from './gestures.ts';
import { inks } from './inks.ts';
import type { NoteFlag } from './note-flags.ts';
import { placeDotsOn, placeOn } from './place-on.ts';
import type { Ticks } from './ticks.ts';
import { valueScales } from './value-scales.ts';

export interface ChartProps {
  readonly title: string;
  /** Each unit has a scale of its own: the first stands on the left, the second on the right. */
  readonly lines: readonly DrawnLine[];
  /** Below the lines. */
  readonly strips?: readonly Strip[];
  /** Least and largest value of the axis of a unit, where they were chosen. */
  readonly scales?: ReadonlyMap<string, Bounds>;
  readonly onResetScale?: (unit: string) => void;
  /** What is seen of the axis across, which may be more or less than was loaded while more is on its way. */
  readonly bounds: Bounds;
  readonly ticks: Ticks;
  /** How many scales have room on the right: plots below each other agree on it. */
  readonly rightScales: number;
  readonly width: number;
  readonly height: number;
  /** Charts with the same name have one cursor. */
  readonly group: string;
  /** Of each line what stands at the cursor: dots mark it. */
  readonly readings: ReadonlySignal<readonly (Mark | undefined)[]>;
  /** Where the pointer is across, undefined where it is over no chart. */
  readonly onCursor: (place: number | undefined) => void;
  readonly gestures: Gestures;
  /** Where keys, the map or a table have put the cursor. */
  readonly keyPlace?: ReadonlySignal<number | undefined>;
  /** Cursors that stay. */
  readonly flags?: readonly Flag[];
  /** Notes on moments, and whether their texts stand here. */
  readonly notes?: readonly NoteFlag[];
  readonly hasNoteTexts?: boolean;
  /** Draws behind the lines; `ink` is the colour of text. */
  readonly behind?: ((chart: uPlot, ink: string) => void) | undefined;
}

/** Lines over one axis. uPlot draws axes, cursor and selection; the lines are our own, each with places of its own. */
export function Chart(props: ChartProps) {
  const { title, lines, bounds, rightScales, width, height, group, readings } = props;
  const host = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | undefined>(undefined);
  const latest = useRef(props);
  latest.current = props;
  const ownOf = (own: uPlot) => (chart.current === own ? latest.current : undefined);
  const units = [...new Set(lines.map(({ unit }) => unit))];
  const logs = units.filter((unit) => lines.some((line) => line.unit === unit && line.isLog));
  const shape = JSON.stringify([units, logs, rightScales, group, isDark.value]);

  useLayoutEffect(() => {
    const { text, soft: ink, grid, bad } = inks.peek();
    const own = host.current!;
    const made = new uPlot(
      {
        width,
        height,
        legend: { show: false },
        // Formats of dates, which no chart here uses, would be made for each of them.
        fmtDate: () => () => '',
        padding: [
          unitRoom,
          rightRoom(rightScales - Math.max(0, units.length - 1)),
          6,
          units.length === 0 ? leftSize : 0,
        ],
        cursor: {
          sync: { key: group },
          // Hands do what `gestures` says.
          drag: { x: false, y: false, setScale: false },
          points: { show: false },
          bind: {
            dblclick: () => () => {
              latest.current.gestures.all();
              return null;
            },
          },
        },
        scales: {
          x: { time: false, range: () => [...latest.current.bounds] },
          ...valueScales(units, logs, () => latest.current),
        },
        axes: chartAxes(units, { ink, grid }, () => latest.current),
        series: [{}],
        hooks: {
          setCursor: [
            (self) => {
              const kept = latest.current.keyPlace?.peek();
              // What is drawn anew has no say where the cursor is.
              if (self.status !== 1) return;
              if (kept !== undefined && !isPointedAt()) {
                putCursor(self, kept);
                return;
              }
              const left = self.cursor.left ?? -1;
              latest.current.onCursor(left < 0 ? undefined : self.posToVal(left, 'x'));
            },
          ],
          ready: [
            (self) => {
              if (chart.current === self) own.append(self.root);
              const kept = latest.current.keyPlace?.peek();
              if (kept !== undefined) putCursor(self, kept);
            },
          ],
          drawAxes: [
            (self) => {
              latest.current.behind?.(self, ink);
              drawLimits(self, latest.current.lines, ink);
            },
          ],
          draw: [
            (self) => {
              drawAxisMarks(self, units, latest.current.lines, text);
              drawLines(self, latest.current.lines, bad);
              drawStrips(self, latest.current.strips ?? [], units.length > 0, text);
              placeOn(self, () => ownOf(self));
            },
          ],
        },
        plugins: [
          gestures(() => latest.current.gestures),
          axisClicks(units, (unit) => latest.current.onResetScale?.(unit)),
        ],
      },
      [[]],
      // It is put into the page when it is drawn: each choice of a font of a canvas in the page lays the page out.
      (_, begin) => begin(),
    );
    chart.current = made;
    return () => made.destroy();
  }, [shape]);

  useLayoutEffect(() => {
    chart.current?.setSize({ width, height });
  }, [shape, width, height]);
  useLayoutEffect(() => {
    chart.current?.setScale('x', { min: bounds[0], max: bounds[1] });
    // What the ticks say may be new although the scale is not.
    chart.current?.redraw(false, true);
  }, [
    shape,
    lines,
    bounds[0],
    bounds[1],
    height,
    props.behind,
    props.ticks,
    props.flags,
    props.notes,
    props.hasNoteTexts,
    props.strips,
    props.scales,
  ]);
  useLayoutEffect(
    () =>
      effect(() => {
        readings.value;
        const { current } = chart;
        if (current?.status === 1) placeDotsOn(current, () => ownOf(current));
      }),
    [shape, readings],
  );
  useLayoutEffect(() => {
    let hadPlace = false;
    return effect(() => {
      const place = props.keyPlace?.value;
      const { current } = chart;
      if (current?.status !== 1) return;
      if (place !== undefined) putCursor(current, place);
      else if (hadPlace && !isPointedAt()) current.setCursor({ left: -10, top: -10 }, false);
      hadPlace = place !== undefined;
    });
  }, [shape, props.keyPlace]);

  return (
    <figure class="plot" aria-label={title}>
      <div ref={host} />
    </figure>
  );
}
