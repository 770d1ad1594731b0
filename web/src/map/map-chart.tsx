import { useSignal } from '@preact/signals';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { seenAcross } from '../laps/overlay-drawn.ts';
import { isMarking } from '../laps/sector-marks.ts';
import type { Bounds } from '../lines/bounds.ts';
import { inks } from '../plots/inks.ts';
import { showRange } from '../plots/range.ts';
import { show } from '../state/view.ts';
import { drawPlain, drawShaded, drawTrack } from './draw-map.ts';
import { MapMarks } from './map-marks.tsx';
import { mapScales, type NearRow, nearestRow, scaleBar } from './map-scales.ts';
import { markRow } from './map-sectors.ts';
import { cursorAlong, type DrawnMap, isOverLaps, pointAt, pointNowhere } from './map-state.ts';

/** Ways on a canvas of their own: the pointer moves the cursor of the plots, and dragging along a way zooms them. */
export function MapChart({
  map,
  shade,
  width,
  height,
  title,
  onAll,
}: {
  map: DrawnMap;
  /** Least and largest value of the colour; undefined where each line has a colour. */
  shade: Bounds | undefined;
  width: number;
  height: number;
  title: string;
  onAll: () => void;
}) {
  const { lines, whole, ground } = map;
  const canvas = useRef<HTMLCanvasElement>(null);
  /** What the pointer is near to: all of the runs, where the plots show a part. */
  const near = whole.length > 0 ? whole : lines;
  const scales = useMemo(
    () =>
      mapScales(
        [...whole, ...lines].map(({ path }) => path),
        width,
        height,
      ),
    [map, width, height],
  );
  const across = isOverLaps.value ? seenAcross.value : undefined;
  const { track } = inks.value;
  const [low, high] = across ?? [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  useLayoutEffect(() => {
    const { current } = canvas;
    if (current === null) return;
    current.width = width * devicePixelRatio;
    current.height = height * devicePixelRatio;
    const pen = current.getContext('2d')!;
    pen.scale(devicePixelRatio, devicePixelRatio);
    pen.lineJoin = 'round';
    drawTrack(
      pen,
      [...whole, ...lines].map(({ path }) => path),
      track,
      scales,
    );
    for (const line of lines) {
      const { path, rows, along } = line;
      const isSeen = (row: number) => !(along[row]! < low) && !(along[row]! > high);
      if (shade === undefined || rows.shade === undefined) drawPlain(pen, path, line, scales, isSeen);
      else drawShaded(pen, path, rows.shade, shade, scales, isSeen);
    }
  }, [map, scales, track, shade?.[0], shade?.[1], low, high, width, height]);

  /** The stretch that is being dragged along, row to row of one line. */
  const brush = useSignal<{ readonly line: number; readonly from: number; readonly to: number } | undefined>(
    undefined,
  );
  const pressedAt = useRef({ x: 0, y: 0 });
  const rowNear = (event: PointerEvent, only?: NearRow) =>
    nearestRow(
      near,
      scales,
      event.offsetX,
      event.offsetY,
      (line) => (only === undefined ? cursorAlong(near[line]!) : near[line]!.along[only.row]),
      only?.line,
    );
  const onMove = (event: PointerEvent) => {
    if (event.buttons === 0) brush.value = undefined;
    const begun = brush.value;
    const found = rowNear(event, begun && { line: begun.line, row: begun.to });
    if (found === undefined) {
      if (begun === undefined) pointNowhere();
      return;
    }
    pointAt(near[found.line]!, found.row);
    if (begun !== undefined) brush.value = { ...begun, to: found.row };
  };
  const onUp = (event: PointerEvent) => {
    const begun = brush.value;
    brush.value = undefined;
    const { x, y } = pressedAt.current;
    const isDrag = Math.hypot(event.clientX - x, event.clientY - y) > stillPixels;
    if (begun !== undefined && !isDrag && isMarking.peek()) markRow(near[begun.line]!, begun.from);
    if (begun === undefined || !isDrag || begun.from === begun.to) return;
    const { along, rows } = near[begun.line]!;
    const [first, last] = begun.from < begun.to ? [begun.from, begun.to] : [begun.to, begun.from];
    if (isOverLaps.value) {
      if (along[first]! < along[last]!) show({ across: [along[first]!, along[last]!] });
    } else showRange({ from: rows.times[first]!, to: rows.times[last]! }, 'push');
  };
  const bar = ground.metres === undefined ? undefined : scaleBar(scales.pixels, ground.metres, width / 4);
  return (
    <figure class="track">
      <canvas
        ref={canvas}
        width={width}
        height={height}
        style={{ width: `${width}px`, height: `${height}px` }}
        role="img"
        aria-label={title}
        onPointerDown={(event) => {
          if (event.button !== 0) return;
          const found = rowNear(event);
          if (found === undefined) return;
          event.currentTarget.setPointerCapture(event.pointerId);
          pressedAt.current = { x: event.clientX, y: event.clientY };
          pointAt(near[found.line]!, found.row);
          brush.value = { line: found.line, from: found.row, to: found.row };
        }}
        onPointerMove={onMove}
        onPointerUp={onUp}
        onPointerCancel={() => {
          brush.value = undefined;
        }}
        onPointerLeave={(event) => {
          // A finger that is lifted leaves the cursor where it was.
          if (event.pointerType === 'mouse' && brush.value === undefined) pointNowhere();
        }}
        onDblClick={onAll}
      />
      <MapMarks {...{ map, scales, width, height }} brush={brush.value} near={near} />
      {bar && (
        <span class="scale-bar" style={{ width: `${bar.pixels}px` }}>
          {bar.text}
        </span>
      )}
    </figure>
  );
}

/** A pointer that moves less sets no stretch. */
const stillPixels = 4;
