import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { heights as chosenHeights, show } from '../state/view.ts';
import { useNewPlotSeen } from './new-plot.ts';
import { useSize } from './use-size.ts';

/** A plot among others. */
export interface StackRow {
  /** Its share of the height is kept by it. */
  readonly name: string;
  /** Its share of the height until one moves a splitter; 1 without it. */
  readonly share?: number;
  readonly draw: (height: number) => ComponentChildren;
}

/** Pixels of a splitter. */
const splitterSize = 7;
/** A plot is at least so high: where not all fit, they scroll. */
const leastHeight = 92;

/** Plots that share the height, with splitters between them. */
export function Stack({ rows }: { rows: readonly StackRow[] }) {
  const { host, size } = useSize<HTMLDivElement>({ isPlain: true });
  const { height } = size.value;
  useNewPlotSeen(
    host,
    rows.map(({ name }) => name),
  );
  // While a splitter is dragged the address stays as it is.
  const dragged = useSignal<Readonly<Record<string, number>> | undefined>(undefined);
  const shares = dragged.value ?? chosenHeights.value;
  const weights = rows.map(({ name, share }) => (Object.hasOwn(shares, name) ? shares[name]! : (share ?? 1)));
  const room = height - splitterSize * (rows.length - 1);
  const heights = heightsOf(weights, room);

  /** What the shares are when the border below a plot moves by so many pixels. */
  const moved = (row: number, pixels: number) => {
    const [above, below] = [heights[row]!, heights[row + 1]!];
    const most = Math.max(leastHeight, above + below - leastHeight);
    const now = Math.min(most, Math.max(leastHeight, above + pixels));
    const both = weights[row]! + weights[row + 1]!;
    const share = Math.round(((both * now) / (above + below)) * 1000) / 1000;
    return { ...shares, [rows[row]!.name]: share, [rows[row + 1]!.name]: Math.max(0.001, both - share) };
  };
  return (
    <div class="stack" ref={host}>
      {height > 0 &&
        rows.map(({ name, draw }, i) => (
          <div key={name}>
            {draw(heights[i]!)}
            {i < rows.length - 1 && (
              <Splitter
                name={name}
                share={weights[i]! / (weights[i]! + weights[i + 1]!)}
                onMove={(pixels) => {
                  dragged.value = moved(i, pixels);
                }}
                onEnd={() => {
                  if (dragged.value !== undefined) show({ heights: dragged.value }, 'replace');
                  dragged.value = undefined;
                }}
                onKey={(pixels) => show({ heights: moved(i, pixels) }, 'replace')}
              />
            )}
          </div>
        ))}
    </div>
  );
}

/** By their shares, none less than the least height: the others have less for it, as long as there is room. */
function heightsOf(weights: readonly number[], room: number): number[] {
  const isLeast = weights.map(() => false);
  for (;;) {
    const rest = room - leastHeight * isLeast.filter(Boolean).length;
    const whole = weights.reduce((sum, weight, i) => (isLeast[i] ? sum : sum + weight), 0);
    const next = weights.findIndex((weight, i) => !isLeast[i] && (rest * weight) / whole < leastHeight);
    if (next < 0)
      return weights.map((weight, i) => (isLeast[i] ? leastHeight : Math.floor((rest * weight) / whole)));
    isLeast[next] = true;
  }
}

/** Pixels of one press of an arrow. */
const keyPixels = 16;

/** The border between two plots. */
function Splitter({
  name,
  share,
  onMove,
  onEnd,
  onKey,
}: {
  name: string;
  share: number;
  onMove: (pixels: number) => void;
  onEnd: () => void;
  onKey: (pixels: number) => void;
}) {
  // Pixels count from where the splitter was taken, and the plots move with it.
  const from = useRef<{ readonly y: number; readonly move: (pixels: number) => void } | undefined>(undefined);
  const end = () => {
    from.current = undefined;
    onEnd();
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a rule cannot be moved
    <div
      class="splitter"
      role="separator"
      aria-orientation="horizontal"
      aria-label={`Height of ${name}`}
      aria-valuenow={Math.round(share * 100)}
      tabIndex={0}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        from.current = { y: event.clientY, move: onMove };
      }}
      onPointerMove={(event) => {
        if (from.current === undefined) return;
        if (event.buttons === 0) end();
        else from.current.move(event.clientY - from.current.y);
      }}
      onPointerUp={end}
      onPointerCancel={end}
      onKeyDown={(event) => {
        const by = { ArrowUp: -keyPixels, ArrowDown: keyPixels }[event.key];
        if (by === undefined) return;
        event.preventDefault();
        event.stopPropagation();
        onKey(by);
      }}
    />
  );
}
