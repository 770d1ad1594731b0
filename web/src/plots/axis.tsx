import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Bounds } from '../lines/bounds.ts';
import { drawnPixels, leftSize } from './axes.ts';
import { axisHands } from './axis-hands.ts';
import type { Gestures } from './gestures.ts';
import type { Ticks } from './ticks.ts';

/** The axis across, once below all plots; `children` stand at the cursor. */
export function Axis({
  bounds: [low, high],
  ticks,
  width,
  rightScales,
  gestures,
  children,
}: {
  bounds: Bounds;
  ticks: Ticks;
  width: number;
  rightScales: number;
  gestures: Pick<Gestures, 'zoom' | 'pan'>;
  children?: ComponentChildren;
}) {
  const drawn = drawnPixels(width, rightScales);
  const host = useRef<HTMLDivElement>(null);
  const latest = useRef({ bounds: [low, high] as const, drawn, gestures });
  latest.current = { bounds: [low, high], drawn, gestures };
  useEffect(() => axisHands(host.current!, () => latest.current), []);
  const splits = ticks.splits(width);
  const texts = ticks.texts(splits);
  const places = splits.map((split) => leftSize + ((split - low) / (high - low)) * drawn);
  return (
    <div class="axis" ref={host}>
      {texts.map((text, i) =>
        // A text that is cut says something else.
        places[i]! + halfOf(text) > width ? null : (
          <span key={i} class="tick" style={{ left: `${places[i]}px` }}>
            {text}
          </span>
        ),
      )}
      {ticks.label !== undefined && <span class="axis-label">{ticks.label}</span>}
      {children}
    </div>
  );
}

/** Pixels that half of a letter has. */
const halfLetter = 3.2;

function halfOf(text: string): number {
  return halfLetter * Math.max(...text.split('\n').map(({ length }) => length));
}

/** Where something stands on the axis: in the middle below its place, but not beyond the ends. */
export function onAxis(left: number, width: number): Record<string, string> {
  return { left: `${left}px`, '--left': `${left}px`, '--right': `${width - left}px` };
}
