import type uPlot from 'uplot';

/** What a hand can do to an axis. Places are numbers on it. */
export interface Gestures {
  /** Shows what was selected. */
  select(from: number, to: number): void;
  /** Zooms around a place that stays where it is; `factor` below 1 zooms in. */
  zoom(around: number, factor: number): void;
  /** Moves by a share of what is shown. */
  pan(share: number): void;
  /** Shows everything. */
  all(): void;
  /** Sets a cursor that stays: the first one, or the other. */
  pick?(place: number, isOther: boolean | undefined): void;
}

/** A finger that rests so long sets a cursor. */
const pressMs = 500;
/** A finger that moves less rests. */
const stillPixels = 4;

/** A hand that moves less does not drag. */
const clickPixels = 3;

/** How much a turn of the wheel zooms: a usual one is 100 or so; pinching a touch pad, which comes as one with Ctrl, gives much less. */
const wheelZoom = 0.002;
const pinchZoom = 0.004;

/** What a wheel does at a place: it zooms, and pans with Shift or sideways. */
export function turnWheel(
  event: WheelEvent,
  { zoom, pan }: Pick<Gestures, 'zoom' | 'pan'>,
  place: number,
  width: number,
): void {
  event.preventDefault();
  const isPinch = event.ctrlKey || event.metaKey;
  if (event.shiftKey || (!isPinch && Math.abs(event.deltaX) > Math.abs(event.deltaY)))
    pan((event.deltaX || event.deltaY) / width);
  else zoom(place, Math.exp(event.deltaY * (isPinch ? pinchZoom : wheelZoom)));
}

/**
 * The pointer on a plot: the wheel zooms around it, with Shift or sideways it pans; a drag pans, and with Shift, or with the
 * middle button, selects what to zoom to; two fingers zoom, one pans.
 */
export function gestures(latest: () => Gestures): uPlot.Plugin {
  return {
    hooks: {
      ready: [
        (chart) => {
          const { over } = chart;
          over.addEventListener(
            'wheel',
            (event) => turnWheel(event, latest(), chart.posToVal(xIn(over, event), 'x'), over.clientWidth),
            { passive: false },
          );
          drag(chart, over);
          clicks(chart, over);
          touch(chart, over);
        },
      ],
    },
  };

  /** With a mouse or a pen. */
  function drag(chart: uPlot, over: HTMLElement): void {
    let began: { readonly x: number; readonly isSelection: boolean } | undefined;
    let before = 0;
    let isMoved = false;
    const selected = (x: number) => [Math.min(began!.x, x), Math.abs(x - began!.x)] as const;
    const box = document.createElement('i');
    box.className = 'selection';
    const end = () => {
      began = undefined;
      over.classList.remove('panned');
      box.remove();
    };
    // The browser would select text, or scroll by the middle button.
    over.addEventListener('mousedown', (event) => {
      if (event.button === 1 || event.shiftKey) event.preventDefault();
    });
    over.addEventListener('pointerdown', (event) => {
      if (event.pointerType === 'touch' || event.button > 1) return;
      const x = xIn(over, event);
      began = { x, isSelection: event.button === 1 || event.shiftKey };
      before = x;
      isMoved = false;
    });
    over.addEventListener('pointermove', (event) => {
      // A button may be let go where the page does not hear of it.
      if (event.buttons === 0) end();
      if (began === undefined) return;
      const x = xIn(over, event);
      if (!isMoved && Math.abs(x - began.x) < clickPixels) return;
      if (!isMoved) over.setPointerCapture(event.pointerId);
      isMoved = true;
      if (began.isSelection) {
        const [left, width] = selected(x);
        box.style.left = `${left}px`;
        box.style.width = `${width}px`;
        over.append(box);
        return;
      }
      over.classList.add('panned');
      latest().pan((before - x) / over.clientWidth);
      before = x;
    });
    over.addEventListener('pointerup', (event) => {
      if (began === undefined) return;
      const [left, width] = selected(xIn(over, event));
      const { isSelection } = began;
      end();
      if (isMoved && isSelection && width >= clickPixels)
        latest().select(chart.posToVal(left, 'x'), chart.posToVal(left + width, 'x'));
    });
    over.addEventListener('pointercancel', end);
  }

  /** A click, and no drag. Fingers press long for it: a tap changes nothing. */
  function clicks(chart: uPlot, over: HTMLElement): void {
    let pressedAt = 0;
    over.addEventListener('mousedown', (event) => {
      pressedAt = event.clientX;
    });
    over.addEventListener('click', (event) => {
      const isTouch = event instanceof PointerEvent && event.pointerType === 'touch';
      if (isTouch || event.detail > 1 || Math.abs(event.clientX - pressedAt) >= clickPixels) return;
      latest().pick?.(chart.posToVal(xIn(over, event), 'x'), event.shiftKey);
    });
  }

  function touch(chart: uPlot, over: HTMLElement): void {
    const fingers = new Map<number, number>();
    let press: ReturnType<typeof setTimeout> | undefined;
    over.addEventListener('pointerdown', (event) => {
      if (event.pointerType !== 'touch') return;
      const x = xIn(over, event);
      fingers.set(event.pointerId, x);
      over.setPointerCapture(event.pointerId);
      clearTimeout(press);
      if (fingers.size === 1)
        press = setTimeout(() => latest().pick?.(chart.posToVal(x, 'x'), undefined), pressMs);
    });
    over.addEventListener('pointermove', (event) => {
      const before = fingers.get(event.pointerId);
      if (before === undefined) return;
      const now = xIn(over, event);
      if (Math.abs(now - before) < stillPixels && fingers.size === 1) return;
      clearTimeout(press);
      const [other] = [...fingers].filter(([id]) => id !== event.pointerId).map(([, x]) => x);
      if (other === undefined) latest().pan((before - now) / over.clientWidth);
      else latest().zoom(chart.posToVal(other, 'x'), apart(before, other) / apart(now, other));
      fingers.set(event.pointerId, now);
    });
    for (const end of ['pointerup', 'pointercancel'] as const) {
      over.addEventListener(end, (event) => {
        clearTimeout(press);
        fingers.delete(event.pointerId);
      });
    }
  }
}

/** Pixels between two fingers: of those that are closer, what is between them is not known well enough. */
function apart(one: number, other: number): number {
  return Math.max(8, Math.abs(one - other));
}

/** Pixels from the left edge of what is drawn, whatever lies on it. */
function xIn(over: HTMLElement, { clientX }: MouseEvent): number {
  return clientX - over.getBoundingClientRect().left;
}
