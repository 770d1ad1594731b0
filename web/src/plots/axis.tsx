import type { ComponentChildren } from 'preact';
import type { Bounds } from '../lines/bounds.ts';
import { drawnPixels, leftSize } from './axes.ts';
import type { Ticks } from './ticks.ts';

/** The axis across, once below all plots; `children` stand at the cursor. */
export function Axis({
  bounds: [low, high],
  ticks,
  width,
  hasRightScale,
  children,
}: {
  bounds: Bounds;
  ticks: Ticks;
  width: number;
  hasRightScale: boolean;
  children?: ComponentChildren;
}) {
  const drawn = drawnPixels(width, hasRightScale);
  const splits = ticks.splits(width);
  const texts = ticks.texts(splits);
  return (
    <div class="axis">
      {splits.map((split, i) => (
        <span
          key={split}
          class="tick"
          style={{ left: `${leftSize + ((split - low) / (high - low)) * drawn}px` }}
        >
          {texts[i]}
        </span>
      ))}
      {ticks.label !== undefined && <span class="axis-label">{ticks.label}</span>}
      {children}
    </div>
  );
}
