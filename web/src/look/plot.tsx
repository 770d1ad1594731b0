import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { TimeRange } from '../state/view-text.ts';
import { cursorTime } from './cursor.ts';
import { drawMarks } from './draw-marks.ts';
import { gestures } from './gestures.ts';
import type { Marks } from './marks.ts';
import { joinTraces } from './plot-data.ts';
import { roundTimes } from './round-times.ts';
import { tickTexts } from './time-text.ts';
import type { TraceLoad } from './traces.ts';

export interface PlotProps {
  readonly load: TraceLoad;
  /** What is seen, which may be more or less than was loaded while more is on its way. */
  readonly shown: TimeRange;
  readonly title: string;
  /** Of each trace. Each unit has a scale of its own: the first stands on the left, the second on the right. */
  readonly units: readonly string[];
  /** Whether there is room for a scale on the right: plots below each other agree on it. */
  readonly hasRightScale: boolean;
  readonly colours: readonly string[];
  readonly height: number;
  readonly width: number;
  readonly marks: Marks;
}

/** One chart: the traces of `load` over the range `shown`, its cursor in step with all others of the page. */
export function Plot({ load, shown, title, units, hasRightScale, colours, height, width, marks }: PlotProps) {
  const host = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | undefined>(undefined);
  const latest = useRef({ load, shown, marks });
  latest.current = { load, shown, marks };
  const shape = JSON.stringify([
    load.traces.map(({ stream, parameter }) => [stream, parameter]),
    colours,
    units,
    hasRightScale,
  ]);

  useEffect(() => {
    const style = getComputedStyle(document.documentElement);
    const ink = style.getPropertyValue('--ink-soft');
    const grid = style.getPropertyValue('--grid');
    const kinds = [...new Set(units)];
    const axis = {
      stroke: ink,
      grid: { stroke: grid, width: 1 },
      ticks: { stroke: grid, width: 1 },
      font: axisFont,
    };
    const made = new uPlot(
      {
        width,
        height,
        legend: { show: false },
        padding: [8, hasRightScale && kinds.length < 2 ? 12 + rightSize : 12, 0, 0],
        cursor: { sync: { key: 'time' }, drag: { x: true, y: false, setScale: false }, points: { size: 6 } },
        scales: {
          x: { time: false, range: () => boundsOf(latest.current.shown, latest.current.load.origin) },
          ...Object.fromEntries(kinds.map((unit) => [scaleOf(unit), { range: yRange }])),
        },
        axes: [
          {
            ...axis,
            values: (_, splits) => timeTicks(latest.current.load.origin, splits),
            splits: (self) => timeSplits(latest.current.shown, latest.current.load.origin, self.width),
            size: 42,
          },
          ...kinds.slice(0, 2).map((unit, i) => ({
            ...axis,
            scale: scaleOf(unit),
            side: i === 0 ? (3 as const) : (1 as const),
            size: i === 0 ? 64 : rightSize,
            grid: { show: i === 0, stroke: grid, width: 1 },
          })),
        ],
        series: [
          {},
          ...load.traces.map(({ parameter }, i) => ({
            label: parameter,
            scale: scaleOf(units[i] ?? ''),
            stroke: colours[i] ?? ink,
            width: 1.25,
            points: { show: (self: uPlot, series: number) => fewPoints(self, series) },
          })),
        ],
        hooks: {
          setCursor: [(self) => followCursor(self, latest.current.load)],
          drawAxes: [(self) => drawMarks(self, latest.current.load.origin, latest.current.marks, ink)],
        },
        plugins: [gestures(() => latest.current.load)],
      },
      joinTraces(load.traces),
      host.current!,
    );
    chart.current = made;
    return () => made.destroy();
  }, [shape]);

  useEffect(() => {
    chart.current?.setData(joinTraces(load.traces));
  }, [load]);
  useEffect(() => {
    const [min, max] = boundsOf(shown, latest.current.load.origin);
    chart.current?.setScale('x', { min, max });
  }, [shown.from, shown.to]);
  useEffect(() => {
    chart.current?.setSize({ width, height });
  }, [width, height]);
  useEffect(() => {
    chart.current?.redraw(false, true);
  }, [marks]);

  return (
    <figure class="plot" aria-label={title}>
      <div ref={host} />
    </figure>
  );
}

/** Pixels of the scale on the right. */
const rightSize = 58;

function scaleOf(unit: string): string {
  return `in ${unit}`;
}

const axisFont = '11px system-ui, sans-serif';

function boundsOf({ from, to }: TimeRange, origin: bigint): [number, number] {
  return [Number(from - origin) / 1e9, Number(to - origin) / 1e9];
}

function yRange(_chart: uPlot, low: number | null, high: number | null): [number, number] {
  if (low === null || high === null) return [0, 1];
  const room = low === high ? Math.abs(low) * 0.1 || 1 : (high - low) * 0.06;
  return [low - room, high + room];
}

/** Ticks at round times of the clock, whatever the origin is. */
function timeSplits(range: TimeRange, origin: bigint, width: number): number[] {
  return roundTimes(range, Math.max(2, Math.floor(width / 110))).map((time) => Number(time - origin) / 1e9);
}

function timeTicks(origin: bigint, splits: readonly number[]): string[] {
  const times = splits.map((split) => origin + BigInt(Math.round(split * 1e9)));
  const step = times.length > 1 ? times[1]! - times[0]! : 1_000_000_000n;
  return tickTexts(times, step);
}

/** Points are drawn where they stand apart. */
function fewPoints(chart: uPlot, series: number): boolean {
  const values = chart.data[series]!;
  return values.length * 10 < chart.width;
}

function followCursor(chart: uPlot, { origin }: TraceLoad): void {
  const left = chart.cursor.left ?? -1;
  if (left < 0) {
    cursorTime.value = undefined;
    return;
  }
  cursorTime.value = origin + BigInt(Math.round(chart.posToVal(left, 'x') * 1e9));
}
