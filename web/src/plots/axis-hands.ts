import type { Bounds } from '../lines/bounds.ts';
import { leftSize } from './axes.ts';
import { type Gestures, turnWheel } from './gestures.ts';

/** A hand that moves less clicks. */
const clickPixels = 3;

/** What hands do to an axis below the plots: a drag pans, a click brings its place to the middle, the wheel zooms. */
export function axisHands(
  host: HTMLElement,
  latest: () => {
    readonly bounds: Bounds;
    readonly drawn: number;
    readonly gestures: Pick<Gestures, 'zoom' | 'pan'>;
  },
): () => void {
  const ending = new AbortController();
  const { signal } = ending;
  const shareAt = ({ clientX }: MouseEvent) =>
    (clientX - host.getBoundingClientRect().left - leftSize) / latest().drawn;
  let began: number | undefined;
  let before = 0;
  let isMoved = false;
  host.addEventListener(
    'wheel',
    (event) => {
      const { bounds, drawn, gestures } = latest();
      turnWheel(event, gestures, bounds[0] + shareAt(event) * (bounds[1] - bounds[0]), drawn);
    },
    { passive: false, signal },
  );
  host.addEventListener(
    'pointerdown',
    (event) => {
      if (event.button !== 0 || (event.target as Element).closest('button') !== null) return;
      began = shareAt(event);
      before = began;
      isMoved = false;
      host.setPointerCapture(event.pointerId);
    },
    { signal },
  );
  host.addEventListener(
    'pointermove',
    (event) => {
      // A button may be let go where the page does not hear of it.
      if (event.buttons === 0) began = undefined;
      if (began === undefined) return;
      const share = shareAt(event);
      isMoved ||= Math.abs(share - began) * latest().drawn >= clickPixels;
      if (!isMoved) return;
      latest().gestures.pan(before - share);
      before = share;
    },
    { signal },
  );
  host.addEventListener(
    'pointerup',
    () => {
      if (began !== undefined && !isMoved) latest().gestures.pan(began - 0.5);
      began = undefined;
    },
    { signal },
  );
  host.addEventListener(
    'pointercancel',
    () => {
      began = undefined;
    },
    { signal },
  );
  return () => ending.abort();
}
