import type uPlot from 'uplot';
import { pan, showRange, zoom } from './range.ts';
import type { TraceLoad } from './traces.ts';

/**
 * The pointer on a plot: drag selects what to zoom to, the wheel zooms around the pointer, the wheel with Shift and a
 * sideways wheel pan, a double click shows all; two fingers zoom, one pans. (uPlot draws the selection itself.)
 */
export function gestures(load: () => TraceLoad): uPlot.Plugin {
  const timeAt = (chart: uPlot, left: number): bigint =>
    load().origin + BigInt(Math.round(chart.posToVal(left, 'x') * 1e9));

  return {
    hooks: {
      setSelect: [
        (chart) => {
          const { left, width } = chart.select;
          if (width < 3) return;
          showRange({ from: timeAt(chart, left), to: timeAt(chart, left + width) }, 'push');
          chart.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
        },
      ],
      ready: [
        (chart) => {
          const { over } = chart;
          over.addEventListener('wheel', (event) => onWheel(chart, event), { passive: false });
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
    if (event.ctrlKey || event.metaKey) zoom(timeAt(chart, event.offsetX), Math.exp(event.deltaY * 0.004));
    else pan(sideways / chart.width);
  }

  function touch(chart: uPlot, over: HTMLElement): void {
    const fingers = new Map<number, number>();
    const xOf = (event: PointerEvent) => event.clientX - over.getBoundingClientRect().left;
    over.addEventListener('pointerdown', (event) => {
      if (event.pointerType !== 'touch') return;
      fingers.set(event.pointerId, xOf(event));
      over.setPointerCapture(event.pointerId);
    });
    over.addEventListener('pointermove', (event) => {
      const before = fingers.get(event.pointerId);
      if (before === undefined) return;
      const now = xOf(event);
      const [other] = [...fingers].filter(([id]) => id !== event.pointerId).map(([, x]) => x);
      if (other === undefined) pan((before - now) / over.clientWidth);
      else
        zoom(timeAt(chart, (now + other) / 2), Math.abs(before - other) / Math.max(8, Math.abs(now - other)));
      fingers.set(event.pointerId, now);
    });
    for (const end of ['pointerup', 'pointercancel'] as const) {
      over.addEventListener(end, (event) => fingers.delete(event.pointerId));
    }
  }
}
