import type { ComponentChildren } from 'preact';
import { type Bounds, shareOf } from '../lines/bounds.ts';
import type { Look } from '../lines/colours.ts';
import { numberText } from '../lines/reading.ts';
import { roundNumbers } from '../plots/number-ticks.ts';
import { useSize } from '../plots/use-size.ts';

/** Pixels around what is drawn. */
const margin = { left: 52, right: 12, top: 8, bottom: 34 };

/** Where numbers are drawn, in pixels. */
export interface Drawing {
  xOf(value: number): number;
  yOf(value: number): number;
  /** Of what is drawn. */
  readonly top: number;
  readonly bottom: number;
}

/** A drawing over numbers with its axes, read place by place by keys and by the pointer. */
export function ChartRoom(props: {
  readonly label: string;
  /** What is read: a number for the machine, and words; undefined where nothing is. */
  readonly chosen: { readonly at: number; readonly text: string } | undefined;
  /** Of `at`. */
  readonly most: number;
  readonly across: Bounds;
  readonly up: Bounds;
  /** Where lines across stand; else at round numbers. */
  readonly upTicks?: readonly number[];
  /** Whether only whole numbers have ticks, of each axis. */
  readonly whole?: { readonly across: boolean; readonly up: boolean };
  readonly xLabel: string;
  readonly tickText: (value: number) => string;
  /** Whether the key means something here. */
  readonly onKey: (key: string) => boolean;
  /** The pointer is over a number of the axis; undefined: over none. */
  readonly onPoint: (value: number | undefined) => void;
  readonly draw: (drawing: Drawing) => ComponentChildren;
}) {
  const { label, chosen, most, across, up, upTicks, whole, xLabel, tickText, onKey, onPoint, draw } = props;
  const { host, size } = useSize<HTMLDivElement>();
  const { width, height } = size.value;
  const inner = { width: width - margin.left - margin.right, height: height - margin.top - margin.bottom };
  const [low, high] = across;
  const xOf = (value: number) => margin.left + shareOf(value, across) * inner.width;
  const yOf = (value: number) => margin.top + (1 - shareOf(value, up)) * inner.height;
  const pointTo = ({ offsetX }: PointerEvent) => {
    const share = (offsetX - margin.left) / inner.width;
    onPoint(low * (1 - share) + high * share);
  };
  return (
    <div
      class="chart-room"
      ref={host}
      role="slider"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={most}
      aria-valuenow={chosen?.at ?? 0}
      aria-valuetext={chosen?.text ?? 'none'}
      tabIndex={0}
      onKeyDown={(event) => {
        // With these keys an arrow is the browser's: back, for one.
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        if (onKey(event.key)) event.preventDefault();
      }}
      onPointerDown={pointTo}
      onPointerMove={pointTo}
      onPointerLeave={({ pointerType }) => {
        // What a finger has pointed at stays when it is lifted.
        if (pointerType !== 'touch') onPoint(undefined);
      }}
    >
      {width > 0 && inner.height > 0 && (
        <svg width={width} height={height} aria-hidden="true">
          {(upTicks ?? roundNumbers(up, inner.height / 40, whole?.up)).map((tick) => (
            <g key={tick}>
              <line class="grid" x1={margin.left} x2={width - margin.right} y1={yOf(tick)} y2={yOf(tick)} />
              <text x={margin.left - 6} y={yOf(tick) + 4} text-anchor="end">
                {tickText(tick)}
              </text>
            </g>
          ))}
          {roundNumbers(across, inner.width / 70, whole?.across).map((tick) => (
            <text key={tick} x={xOf(tick)} y={height - 18} text-anchor="middle">
              {numberText(tick)}
            </text>
          ))}
          <text x={margin.left + inner.width / 2} y={height - 4} text-anchor="middle">
            {xLabel}
          </text>
          {draw({ xOf, yOf, top: margin.top, bottom: height - margin.bottom })}
        </svg>
      )}
    </div>
  );
}

/** How a path looks that has the look of a line. */
export function pathLook({ colour, dash, isBold }: Look, isFilled: boolean) {
  return {
    fill: isFilled ? colour : 'none',
    'fill-opacity': 0.55,
    stroke: colour,
    'stroke-width': isBold ? 2.25 : 1.25,
    'stroke-dasharray': dash.join(' '),
  };
}
