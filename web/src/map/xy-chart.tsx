import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { type Bounds, shareOf } from '../lines/bounds.ts';
import type { Look } from '../lines/colours.ts';
import { inks } from '../plots/inks.ts';
import { areWhole } from '../plots/number-ticks.ts';
import type { XyAs, XyExtra } from '../state/modes.ts';
import { drawDensity, drawFit, drawHull, drawPoints } from './draw-over.ts';
import { drawAxes, drawLine, drawShaded } from './draw-xy.ts';
import { viridis } from './viridis.ts';
import type { XyRows } from './xy-load.ts';
import { nearestPoint, scalesOf } from './xy-scales.ts';

/** Rows of a stream or a lap, joined by a line. */
export interface XyLine extends Look {
  readonly label: string;
  readonly rows: XyRows;
}

/** A row of a line. */
export interface XyPlace {
  readonly line: number;
  readonly row: number;
}

export interface XyChartProps {
  readonly title: string;
  readonly xLabel: string;
  readonly yLabel: string;
  readonly lines: readonly XyLine[];
  readonly width: number;
  readonly height: number;
  /** One unit across is as long as one unit up. */
  readonly isMap: boolean;
  /** Least and largest value of the colour, of all lines; undefined where each line has a colour. */
  readonly shade: Bounds | undefined;
  /** How rows are drawn, and what around them. */
  readonly as: XyAs;
  readonly extras: readonly XyExtra[];
  /** Rows that are marked. */
  readonly marked: readonly XyPlace[];
  /** The pointer is near another row, or near none. */
  readonly onPoint: (place: XyPlace | undefined) => void;
}

/** Lines over numbers, drawn on a canvas of its own: uPlot wants x in order. */
export function XyChart(props: XyChartProps) {
  const { title, xLabel, yLabel, lines, width, height, isMap, shade, marked, onPoint, as, extras } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const points = useMemo(() => lines.map(({ rows }) => rows), [lines]);
  const whole = useMemo(
    () => [points.every(({ x }) => areWhole(x)), points.every(({ y }) => areWhole(y))] as const,
    [points],
  );
  const scales = useMemo(() => scalesOf(points, width, height, isMap), [points, width, height, isMap]);
  const { soft, grid, text } = inks.value;
  useLayoutEffect(() => {
    const { current } = canvas;
    if (current === null) return;
    const ratio = devicePixelRatio;
    current.width = width * ratio;
    current.height = height * ratio;
    const pen = current.getContext('2d')!;
    pen.scale(ratio, ratio);
    drawAxes(pen, scales, { soft, grid }, width, height, [xLabel, yLabel], whole);
    pen.lineJoin = 'round';
    if (as === 'density') drawDensity(pen, points, scales, width);
    for (const { rows, colour, dash, isBold } of lines) {
      if (as === 'points') drawPoints(pen, rows, colourOf(rows, shade, colour, soft), scales);
      if (as !== '') continue;
      pen.lineWidth = isBold ? 3 : 1.5;
      pen.setLineDash([...dash]);
      if (shade === undefined || rows.shade === undefined) drawLine(pen, rows, colour, scales);
      else drawShaded(pen, rows, rows.shade, shade, soft, scales);
    }
    for (const { rows, colour } of lines) {
      const own = lines.length > 1 ? colour : text;
      if (extras.includes('hull')) drawHull(pen, rows, own, scales);
      if (extras.includes('fit')) drawFit(pen, rows, own, scales);
    }
  }, [lines, scales, soft, grid, text, shade, width, height, xLabel, yLabel, as, extras]);
  const pointTo = ({ offsetX, offsetY }: PointerEvent) =>
    onPoint(nearestPoint(points, scales, offsetX, offsetY));
  return (
    <figure class="plot xy">
      <canvas
        ref={canvas}
        class="line-chart"
        width={width}
        height={height}
        role="img"
        aria-label={`${title}: ${lines.map(({ label }) => label).join(', ')}`}
        onPointerDown={pointTo}
        onPointerMove={pointTo}
        onPointerLeave={({ pointerType }) => {
          // A finger that is lifted leaves the cursor where it was.
          if (pointerType !== 'touch') onPoint(undefined);
        }}
      />
      {marked.map(({ line, row }) => {
        const own = lines[line];
        if (own === undefined || row >= own.rows.x.length) return null;
        const [left, top] = [scales.xOf(own.rows.x[row]!), scales.yOf(own.rows.y[row]!)];
        return (
          <i key={line} class="dot" style={{ background: own.colour, left: `${left}px`, top: `${top}px` }} />
        );
      })}
    </figure>
  );
}

/** Of each row the colour of its value; that of its line where there is no other. */
function colourOf(
  { shade: values }: XyRows,
  shade: Bounds | undefined,
  colour: string,
  plain: string,
): (row: number) => string {
  if (shade === undefined || values === undefined) return () => colour;
  return (row) => {
    const value = values[row]!;
    return Number.isFinite(value) ? viridis(shareOf(value, shade)) : plain;
  };
}
