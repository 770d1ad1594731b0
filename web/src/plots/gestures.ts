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

/**
 * The pointer on a plot: drag selects what to zoom to, the wheel with Ctrl zooms around the pointer, the wheel with Shift
 * and a sideways wheel pan; two fingers zoom, one pans. (uPlot draws the selection itself.)
 */
export function gestures(latest: () => Gestures): uPlot.Plugin {
  return {
    hooks: {
      setSelect: [
        (chart) => {
          const { left, width } = chart.select;
          if (width < 3) return;
          latest().select(chart.posToVal(left, 'x'), chart.posToVal(left + width, 'x'));
          chart.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
        },
      ],
      ready: [
        (chart) => {
          const { over } = chart;
          over.addEventListener('wheel', (event) => onWheel(chart, event), { passive: false });
          clicks(chart, over);
          touch(chart, over);
        },
      ],
    },
  };

  function onWheel(chart: uPlot, event: WheelEvent): void {
    // The page scrolls by the wheel; plots are zoomed with a key held, and by two fingers of a touch pad.
    if (
      !event.ctrlKey &&
      !event.metaKey &&
      !event.shiftKey &&
      Math.abs(event.deltaX) <= Math.abs(event.deltaY)
    )
      return;
    event.preventDefault();
    const sideways = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX;
    if (event.ctrlKey || event.metaKey)
      latest().zoom(chart.posToVal(xIn(chart.over, event), 'x'), Math.exp(event.deltaY * 0.004));
    else latest().pan(sideways / chart.width);
  }

  /** A click, and no drag. Fingers press long for it: a tap changes nothing. */
  function clicks(chart: uPlot, over: HTMLElement): void {
    let pressedAt = 0;
    over.addEventListener('mousedown', (event) => {
      pressedAt = event.clientX;
    });
    over.addEventListener('click', (event) => {
      const isTouch = event instanceof PointerEvent && event.pointerType === 'touch';
      if (isTouch || event.detail > 1 || Math.abs(event.clientX - pressedAt) >= 3) return;
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
      else {
        const factor = Math.abs(before - other) / Math.max(8, Math.abs(now - other));
        latest().zoom(chart.posToVal((now + other) / 2, 'x'), factor);
      }
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

/** Pixels from the left edge of what is drawn, whatever lies on it. */
function xIn(over: HTMLElement, { clientX }: MouseEvent): number {
  return clientX - over.getBoundingClientRect().left;
}
