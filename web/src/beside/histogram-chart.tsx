import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Look } from '../lines/colours.ts';
import { numberText } from '../lines/reading.ts';
import { secondsFrom } from '../lines/traces.ts';
import { drawnWidth, unitOf } from '../plots/axes.ts';
import { cursorTime, reachPixels } from '../plots/cursor.ts';
import { drawn as drawnTraces } from '../plots/drawn.ts';
import { roundNumbers } from '../plots/number-ticks.ts';
import { seenRange } from '../plots/range.ts';
import { readTrace } from '../plots/read-trace.ts';
import { watchSize } from '../plots/width.ts';
import { mode } from '../state/view.ts';
import type { Histogram } from './histogram-drawn.ts';

/** Pixels around what is drawn. */
const margin = { left: 52, right: 12, top: 8, bottom: 34 };

/** Bars, or a stepped line for each of several laps; arrows and the pointer read a bin. */
export function HistogramChart({
  histogram,
  chosen,
  onChoose,
}: {
  histogram: Histogram;
  /** The bin that is read. */
  chosen: number | undefined;
  onChoose: (bin: number | undefined) => void;
}) {
  const host = useRef<HTMLDivElement>(null);
  const size = useSignal({ width: 0, height: 0 });
  useLayoutEffect(
    () =>
      watchSize(host.current!, (now) => {
        size.value = now;
      }),
    [],
  );
  const { edges, lines, parameter } = histogram;
  const { width, height } = size.value;
  const inner = { width: width - margin.left - margin.right, height: height - margin.top - margin.bottom };
  const isOne = lines.length === 1;
  // Laps have different numbers of rows.
  const heights = lines.map(({ counts, rows }) =>
    counts.map((count) => (isOne ? count : (100 * count) / (rows || 1))),
  );
  const most = Math.max(...heights.flat(), isOne ? 1 : 0.01) * 1.05;
  const [low, high] = [edges[0]!, edges.at(-1)!];
  const xOf = (value: number) => margin.left + ((value - low) / (high - low)) * inner.width;
  const yOf = (value: number) => margin.top + (1 - value / most) * inner.height;
  const last = edges.length - 2;
  const bin = chosen === undefined || chosen < 0 || chosen > last ? undefined : chosen;
  const keys: Readonly<Record<string, number>> = {
    ArrowLeft: bin === undefined ? 0 : Math.max(0, bin - 1),
    ArrowRight: bin === undefined ? 0 : Math.min(last, bin + 1),
    Home: 0,
    End: last,
  };
  const at = (event: PointerEvent) => {
    const value = low + ((event.offsetX - margin.left) / inner.width) * (high - low);
    onChoose(edges.findLastIndex((edge, bin) => edge <= value && bin < edges.length - 1));
  };
  return (
    <>
      <output class="bin" aria-label="Rows of the bin">
        {bin !== undefined && binText(histogram, bin)}
      </output>
      <div
        class="histogram-room"
        ref={host}
        role="slider"
        aria-label={`Bin of the histogram of ${parameter}`}
        aria-valuemin={0}
        aria-valuemax={last}
        aria-valuenow={bin ?? 0}
        aria-valuetext={bin === undefined ? 'none' : binText(histogram, bin)}
        tabIndex={0}
        onKeyDown={(event) => {
          const next = keys[event.key];
          if (next === undefined) return;
          event.preventDefault();
          onChoose(next);
        }}
        onPointerMove={at}
        onPointerLeave={() => onChoose(undefined)}
      >
        {width > 0 && inner.height > 0 && (
          <svg width={width} height={height} aria-hidden="true">
            {roundNumbers([0, most], inner.height / 40).map((tick) => (
              <g key={tick}>
                <line class="grid" x1={margin.left} x2={width - margin.right} y1={yOf(tick)} y2={yOf(tick)} />
                <text x={margin.left - 6} y={yOf(tick) + 4} text-anchor="end">
                  {countText(tick)}
                  {!isOne && '%'}
                </text>
              </g>
            ))}
            {roundNumbers([low, high], inner.width / 70).map((tick) => (
              <text key={tick} x={xOf(tick)} y={height - 18} text-anchor="middle">
                {numberText(tick)}
              </text>
            ))}
            <text x={margin.left + inner.width / 2} y={height - 4} text-anchor="middle">
              {parameter} {unitOf(parameter)}
            </text>
            {bin !== undefined && (
              <rect
                class="chosen"
                x={xOf(edges[bin]!)}
                y={margin.top}
                width={xOf(edges[bin + 1]!) - xOf(edges[bin]!)}
                height={inner.height}
              />
            )}
            {lines.map((line, i) => (
              <path key={line.label} {...pathLook(line, isOne)} d={stepPath(edges, heights[i]!, xOf, yOf)} />
            ))}
            <CursorLines
              parameter={parameter}
              xOf={xOf}
              bounds={[low, high]}
              height={height - margin.bottom}
            />
          </svg>
        )}
      </div>
    </>
  );
}

function pathLook({ colour, dash, isBold }: Look, isFilled: boolean) {
  return {
    fill: isFilled ? colour : 'none',
    'fill-opacity': 0.55,
    stroke: colour,
    'stroke-width': isBold ? 2.25 : 1.25,
    'stroke-dasharray': dash.join(' '),
  };
}

/** Up and down along the bins, from the ground to the ground. */
function stepPath(
  edges: readonly number[],
  heights: readonly number[],
  xOf: (value: number) => number,
  yOf: (value: number) => number,
): string {
  const tops = heights.map((own, bin) => `V${yOf(own).toFixed(1)}H${xOf(edges[bin + 1]!).toFixed(1)}`);
  return `M${xOf(edges[0]!).toFixed(1)} ${yOf(0).toFixed(1)}${tops.join('')}V${yOf(0).toFixed(1)}`;
}

/** `40 … 45 bar: 312 rows, 2.4 %`, of each line. */
function binText({ edges, lines, parameter }: Histogram, bin: number): string {
  const told = lines.map(({ label, counts, rows }) => {
    const count = counts[bin]!;
    const share = Number(((100 * count) / (rows || 1)).toPrecision(3));
    const text = `${countText(count)} ${count === 1 ? 'row' : 'rows'}, ${share} %`;
    return lines.length > 1 ? `${label}: ${text}` : text;
  });
  const from = `${numberText(edges[bin]!)} … ${numberText(edges[bin + 1]!)} ${unitOf(parameter)}`;
  return `${from.trim()}: ${told.join('; ')}`;
}

function countText(count: number): string {
  return count.toLocaleString('en');
}

/** Where the values at the cursor of the plots are. */
function CursorLines({
  parameter,
  xOf,
  bounds: [low, high],
  height,
}: {
  parameter: string;
  xOf: (value: number) => number;
  bounds: readonly [number, number];
  height: number;
}) {
  const time = cursorTime.value;
  const load = drawnTraces.value;
  const seen = seenRange.value;
  if (mode.value !== 'time' || time === undefined || load === undefined || seen === undefined) return null;
  const reach = (Number(seen.to - seen.from) / 1e9 / drawnWidth.value) * reachPixels;
  const values = load.traces
    .filter((trace) => trace.parameter === parameter)
    .flatMap((trace) => {
      const reading = readTrace(trace, secondsFrom(load.origin, time), reach);
      return reading === undefined ? [] : [reading.low, reading.high];
    });
  return (
    <>
      {[...new Set(values)]
        .filter((value) => value >= low && value <= high)
        .map((value) => (
          <line key={value} class="at-cursor" x1={xOf(value)} x2={xOf(value)} y1={margin.top} y2={height} />
        ))}
    </>
  );
}
