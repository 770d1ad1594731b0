import { useMemo, useRef } from 'preact/hooks';
import { sparkPath } from '../channels/spark-path.ts';
import { sparkOf } from '../channels/sparks.ts';
import { spanText } from '../lines/time-text.ts';
import { isLive, plots } from '../state/view.ts';
import type { TimeRange } from '../state/view-text.ts';
import { extent, pan, seenRange, showAll, showRange, zoom } from './range.ts';
import { draggedShares, type Shares } from './strip-drag.ts';

/** Units of the drawing of the strip, whatever its size. */
const drawnWidth = 600;
const drawnHeight = 28;
/** Pixels at the edges of the window that change its width. */
const edgePixels = 6;
/** A hand that moves less clicks: a click changes nothing. */
const stillPixels = 3;

/** All of the run, with a window on what the plots show: to drag, to draw anew, and for arrows. */
export function Strip() {
  const known = extent.value;
  const seen = seenRange.value;
  const host = useRef<HTMLDivElement>(null);
  const drag = useRef<((share: number) => void) | undefined>(undefined);
  const [name] = plots.value[0] ?? [];
  const spark = name === undefined ? undefined : sparkOf(name);
  const path = useMemo(() => spark && sparkPath(spark, drawnWidth, drawnHeight), [spark]);
  if (known === undefined || seen === undefined) return <div class="strip none" />;
  // Live data goes on behind what was known of the run.
  const all = { from: known.from, to: seen.to > known.to && isLive.value ? seen.to : known.to };
  const [begin, end] = [shareOf(all, seen.from), shareOf(all, seen.to)];
  const shareAt = (event: PointerEvent) => {
    const { left, width } = host.current!.getBoundingClientRect();
    return (event.clientX - left) / width;
  };
  const onDown = (event: PointerEvent) => {
    if (event.button !== 0) return;
    host.current!.setPointerCapture(event.pointerId);
    const pixels = host.current!.clientWidth;
    const at = shareAt(event);
    const move = draggedShares([begin, end], at, edgePixels / pixels);
    let isStill = true;
    drag.current = (now) => {
      isStill &&= Math.abs(now - at) * pixels < stillPixels;
      if (!isStill) showShares(all, move(now));
    };
  };
  const onEnd = () => {
    drag.current = undefined;
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys do it on the window within
    <div
      class="strip"
      ref={host}
      onPointerDown={onDown}
      onPointerMove={(event) => {
        if (event.buttons === 0) onEnd();
        drag.current?.(shareAt(event));
      }}
      onPointerUp={onEnd}
      onPointerCancel={onEnd}
      onDblClick={showAll}
    >
      {spark !== undefined && (
        <svg
          viewBox={`0 0 ${drawnWidth} ${drawnHeight}`}
          preserveAspectRatio="none"
          aria-hidden="true"
          style={placeOf(all, spark)}
        >
          <path d={path} />
        </svg>
      )}
      <div
        class="window"
        role="slider"
        tabIndex={0}
        aria-label="What is seen of the run"
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(50 * (Math.max(0, begin) + Math.min(1, end)))}
        aria-valuetext={spanText(seen)}
        style={{
          left: `${100 * Math.max(0, begin)}%`,
          right: `${100 * Math.max(0, 1 - end)}%`,
        }}
        onKeyDown={(event) => onKey(event, seen)}
      />
    </div>
  );
}

function onKey(event: KeyboardEvent, { from, to }: TimeRange): void {
  // With these keys an arrow is the browser's: back, for one.
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const middle = from + (to - from) / 2n;
  const action = {
    ArrowLeft: () => pan(-0.1),
    ArrowRight: () => pan(0.1),
    '+': () => zoom(middle, 0.7),
    '-': () => zoom(middle, 1.4),
    '0': showAll,
  }[event.key];
  if (action === undefined) return;
  event.preventDefault();
  action();
}

function shareOf({ from, to }: TimeRange, time: bigint): number {
  return Number(time - from) / Number(to - from);
}

/** Where a run is in all that is open. */
function placeOf(all: TimeRange, { from, to }: TimeRange) {
  const left = Math.max(0, shareOf(all, from));
  return { left: `${100 * left}%`, width: `${100 * (Math.min(1, shareOf(all, to)) - left)}%` };
}

/** Shows what lies between two shares of the run. */
function showShares(all: TimeRange, [begin, end]: Shares): void {
  const timeOf = (share: number) => all.from + BigInt(Math.round(Number(all.to - all.from) * share));
  showRange({ from: timeOf(begin), to: timeOf(end) });
}
