import { numberText } from '../lines/reading.ts';
import { unitOf } from '../plots/axes.ts';
import { cursorTime } from '../plots/cursor.ts';
import { drawn as drawnTraces } from '../plots/drawn.ts';
import { areWhole } from '../plots/number-ticks.ts';
import { readTrace } from '../plots/read-trace.ts';
import { mode } from '../state/view.ts';
import { ChartRoom, type Drawing, pathLook } from './chart-room.tsx';
import type { Histogram } from './histogram-drawn.ts';

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
  const { edges, lines, parameter, infinite, none } = histogram;
  const isOne = lines.length === 1;
  // Laps have different numbers of rows.
  const heights = lines.map(({ counts, rows }) =>
    counts.map((count) => (isOne ? count : (100 * count) / (rows || 1))),
  );
  const last = edges.length - 2;
  const bin = chosen === undefined || chosen < 0 || chosen > last ? undefined : chosen;
  const text = bin === undefined ? '' : binText(histogram, bin);
  const bounds = [edges[0]!, edges.at(-1)!] as const;
  return (
    <>
      <output
        class="bin"
        aria-label="Rows of the bin"
        style={{ '--lines': lines.length > 1 ? lines.length + 1 : 1 }}
      >
        {text}
      </output>
      <InNoBin count={infinite} what="infinite" />
      <InNoBin count={none} what="NaN" />
      <ChartRoom
        label={`Bin of the histogram of ${parameter}`}
        chosen={bin === undefined ? undefined : { at: bin, text }}
        most={last}
        across={bounds}
        up={[0, Math.max(...heights.flat(), isOne ? 1 : 0.01) * 1.05]}
        whole={{ across: areWhole(edges), up: isOne }}
        xLabel={`${parameter} ${unitOf(parameter)}`}
        tickText={(tick) => `${countText(tick)}${isOne ? '' : '%'}`}
        onKey={(key) => {
          const next = {
            ArrowLeft: bin === undefined ? 0 : Math.max(0, bin - 1),
            ArrowRight: bin === undefined ? 0 : Math.min(last, bin + 1),
            Home: 0,
            End: last,
          }[key];
          if (next !== undefined) onChoose(next);
          return next !== undefined;
        }}
        onPoint={(value) =>
          onChoose(
            value === undefined
              ? undefined
              : edges.findLastIndex((edge, bin) => edge <= value && bin < edges.length - 1),
          )
        }
        draw={(drawing) => (
          <>
            {bin !== undefined && (
              <rect
                class="chosen"
                x={drawing.xOf(edges[bin]!)}
                y={drawing.top}
                width={drawing.xOf(edges[bin + 1]!) - drawing.xOf(edges[bin]!)}
                height={drawing.bottom - drawing.top}
              />
            )}
            {lines.map((line, i) => (
              <path key={line.label} {...pathLook(line, isOne)} d={stepPath(edges, heights[i]!, drawing)} />
            ))}
            <CursorLines {...{ parameter, drawing, bounds }} />
          </>
        )}
      />
    </>
  );
}

function InNoBin({ count, what }: { count: number; what: string }) {
  return count === 0 ? null : (
    <p class="soft">
      {countText(count)} {count === 1 ? 'row is' : 'rows are'} {what}, and in no bin.
    </p>
  );
}

/** Up and down along the bins, from the ground to the ground. */
function stepPath(edges: readonly number[], heights: readonly number[], { xOf, yOf }: Drawing): string {
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
  drawing: { xOf, top, bottom },
  bounds: [low, high],
}: {
  parameter: string;
  drawing: Drawing;
  bounds: readonly [number, number];
}) {
  const time = cursorTime.value;
  const load = drawnTraces.value;
  if (mode.value !== 'time' || time === undefined || load === undefined) return null;
  const values = load.traces
    .filter((trace) => trace.parameter === parameter)
    .flatMap((trace) => {
      const reading = readTrace(trace, load.origin, time);
      return reading === undefined ? [] : [reading.low, reading.high];
    });
  return (
    <>
      {[...new Set(values)]
        .filter((value) => value >= low && value <= high)
        .map((value) => (
          <line key={value} class="at-cursor" x1={xOf(value)} x2={xOf(value)} y1={top} y2={bottom} />
        ))}
    </>
  );
}
