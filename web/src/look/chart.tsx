import { effect, type ReadonlySignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { edgeSize, leftSize, rightSize } from './axes.ts';
import type { Bounds } from './bounds.ts';
import { placeDots } from './dots.ts';
import { type DrawnLine, drawLines, scaleOf } from './draw-points.ts';
import { type Gestures, gestures } from './gestures.ts';
import type { Line } from './points.ts';
import type { Mark } from './reading.ts';

/** What the axis across says. */
export interface Ticks {
  readonly label?: string;
  /** Where its ticks stand in a plot of so many pixels. */
  splits(width: number): number[];
  texts(splits: readonly number[]): string[];
}

export interface ChartProps {
  readonly title: string;
  /** Each unit has a scale of its own: the first stands on the left, the second on the right. */
  readonly lines: readonly DrawnLine[];
  /** What is seen of the axis across, which may be more or less than was loaded while more is on its way. */
  readonly bounds: Bounds;
  readonly ticks: Ticks;
  /** Whether there is room for a scale on the right: plots below each other agree on it. */
  readonly hasRightScale: boolean;
  readonly width: number;
  readonly height: number;
  /** Charts with the same name have one cursor. */
  readonly group: string;
  /** Of each line what stands at the cursor: dots mark it. */
  readonly readings: ReadonlySignal<readonly (Mark | undefined)[]>;
  /** Where the pointer is across, undefined where it is over no chart. */
  readonly onCursor: (place: number | undefined) => void;
  readonly gestures: Gestures;
  /** Draws behind the lines; `ink` is the colour of text. */
  readonly behind?: ((chart: uPlot, ink: string) => void) | undefined;
}

/** Lines over one axis. uPlot draws axes, cursor and selection; the lines are our own, each with places of its own. */
export function Chart(props: ChartProps) {
  const { title, lines, bounds, hasRightScale, width, height, group, readings } = props;
  const host = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | undefined>(undefined);
  const latest = useRef(props);
  latest.current = props;
  const units = [...new Set(lines.map(({ unit }) => unit))];
  const shape = JSON.stringify([units, hasRightScale, group, props.ticks.label]);

  useLayoutEffect(() => {
    const style = getComputedStyle(document.documentElement);
    const ink = style.getPropertyValue('--ink-soft');
    const grid = style.getPropertyValue('--grid');
    const axis = {
      stroke: ink,
      grid: { stroke: grid, width: 1 },
      ticks: { stroke: grid, width: 1 },
      font: axisFont,
    };
    const { label } = props.ticks;
    const made = new uPlot(
      {
        width,
        height,
        legend: { show: false },
        padding: [8, hasRightScale && units.length < 2 ? edgeSize + rightSize : edgeSize, 0, 0],
        cursor: {
          sync: { key: group },
          drag: { x: true, y: false, setScale: false },
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
          ...Object.fromEntries(
            units.map((unit) => [scaleOf(unit), { range: () => yRange(latest.current, unit) }]),
          ),
        },
        axes: [
          {
            ...axis,
            values: (_, splits) => latest.current.ticks.texts(splits),
            splits: (self) => latest.current.ticks.splits(self.width),
            size: 42,
            ...(label !== undefined && { label, labelFont: axisFont, labelSize: 14, size: 26 }),
          },
          ...units.slice(0, 2).map((unit, i) => ({
            ...axis,
            scale: scaleOf(unit),
            side: i === 0 ? (3 as const) : (1 as const),
            size: i === 0 ? leftSize : rightSize,
            grid: { show: i === 0, stroke: grid, width: 1 },
          })),
        ],
        series: [{}],
        hooks: {
          setCursor: [
            (self) => {
              const left = self.cursor.left ?? -1;
              latest.current.onCursor(left < 0 ? undefined : self.posToVal(left, 'x'));
            },
          ],
          drawAxes: [(self) => latest.current.behind?.(self, ink)],
          draw: [
            (self) => {
              drawLines(self, latest.current.lines);
              placeDots(self, latest.current.lines, latest.current.readings.peek());
            },
          ],
        },
        plugins: [gestures(() => latest.current.gestures)],
      },
      [[]],
      host.current!,
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
  }, [shape, lines, bounds[0], bounds[1], props.behind, props.ticks]);
  useLayoutEffect(
    () =>
      effect(() => {
        const now = readings.value;
        if (chart.current?.status === 1) placeDots(chart.current, latest.current.lines, now);
      }),
    [shape, readings],
  );

  return (
    <figure class="plot" aria-label={title}>
      <div ref={host} />
    </figure>
  );
}

const axisFont = '11px system-ui, sans-serif';

/** From the smallest to the largest value that is seen of a unit, and a little room. */
function yRange({ lines, bounds }: ChartProps, unit: string): [number, number] {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const line of lines) {
    if (line.unit !== unit) continue;
    const [least, most] = extremes(line.points, bounds);
    low = Math.min(low, least);
    high = Math.max(high, most);
  }
  if (low > high) return [0, 1];
  const room = low === high ? Math.abs(low) * 0.1 || 1 : (high - low) * 0.06;
  return [low - room, high + room];
}

/**
 * Smallest and largest of the points within bounds, or where there are none, of those around that a line leads through
 * from. NaN and the infinities have no place on a scale.
 */
function extremes({ x, low, high, gaps }: Line, [from, to]: Bounds): [number, number] {
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  const include = (i: number) => {
    if (low[i]! < least && Number.isFinite(low[i]!)) least = low[i]!;
    if (high[i]! > most && Number.isFinite(high[i]!)) most = high[i]!;
  };
  for (let i = 0; i < x.length; i++) if (x[i]! >= from && x[i]! <= to) include(i);
  if (least <= most) return [least, most];
  const after = x.findIndex((place) => place > to);
  if (after > 0 && gaps[after] === 0) for (const i of [after - 1, after]) include(i);
  return [least, most];
}
