import { useMemo } from 'preact/hooks';
import type { Bounds } from '../lines/bounds.ts';
import { numberText } from '../lines/reading.ts';
import { drawnPixels, leftSize, unitOf } from '../plots/axes.ts';
import { Axis, onAxis } from '../plots/axis.tsx';
import { numberTicks } from '../plots/number-ticks.ts';
import { plotWidth } from '../plots/width.ts';
import { acrossGestures, cursorPlace } from './across.ts';
import { overlay } from './overlay-state.ts';
import { SpokenLaps } from './spoken-laps.tsx';

/** The one axis below all plots of laps, with the place at the cursor. */
export function AcrossAxis({ bounds }: { bounds: Bounds }) {
  const { alignBy } = overlay.value;
  const [low, high] = bounds;
  const label = alignBy === '' ? 's since the first row' : `${alignBy} ${unitOf(alignBy)}`;
  const ticks = useMemo(() => numberTicks(label, [low, high]), [label, low, high]);
  return (
    <Axis
      bounds={bounds}
      ticks={ticks}
      width={plotWidth.value}
      rightScales={0}
      gestures={acrossGestures(bounds)}
    >
      <CursorPlace bounds={bounds} />
      <SpokenLaps bounds={bounds} />
    </Axis>
  );
}

/** Digits that pixels tell apart. */
const placeDigits = 6;

/** Where the pointer is. */
function CursorPlace({ bounds: [low, high] }: { bounds: Bounds }) {
  const { alignBy } = overlay.value;
  const place = cursorPlace.value;
  const text = place === undefined ? '' : numberText(Number(place.toPrecision(placeDigits)));
  const share = place === undefined ? 0 : Math.min(1, Math.max(0, (place - low) / (high - low)));
  const left = leftSize + share * drawnPixels(plotWidth.value, 0);
  return (
    <output class="cursor-time" aria-label="Place at the cursor" style={onAxis(left, plotWidth.value)}>
      {text !== '' && (alignBy === '' ? `${text} s` : `${alignBy} ${text} ${unitOf(alignBy)}`)}
    </output>
  );
}
