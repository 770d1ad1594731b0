import { computed, signal } from '@preact/signals';
import { beside, panel } from '../state/view.ts';
import { settled } from '../ui/settled.ts';

/** Pixels of the window that is a phone's, and of the sides: those of the styles. */
const phoneWidth = 760;
const sideWidths = 280 + 300;

/**
 * How wide the plots will be, so that they are asked for before there is anything to measure; undefined where that is not
 * plain. Where it turns out otherwise, they are asked for again.
 */
function expectedWidth(): number | undefined {
  if (beside.peek().length > 0) return undefined;
  if (innerWidth <= phoneWidth) return innerWidth;
  return panel.peek() === 'none' ? undefined : Math.max(leastWidth, innerWidth - sideWidths);
}

/** Until it is known. */
const usualWidth = 800;
const leastWidth = 200;
const measured = signal(expectedWidth());
/** The first one is taken at once: nothing is asked for twice. */
const rested = settled(measured, 60);

/** Whether it is known; what is asked for before would be asked for again. */
export const isMeasured = computed(() => measured.value !== undefined);

/** Pixels that plots have across: what is asked of the service is bounded by it. */
export const plotWidth = computed(() => measured.value ?? usualWidth);
/** The same, when the window has its size. */
export const restedWidth = computed(() => rested.value ?? usualWidth);

/** Keeps it as wide as an element is. Gives what ends that. */
export function watchWidth(element: Element): () => void {
  const keep = ({ width }: { readonly width: number }) => {
    measured.value = Math.max(leastWidth, Math.floor(width));
  };
  // The observer tells it only with the next frame.
  keep(element.getBoundingClientRect());
  return watch(element, keep);
}

/** Tells the size of an element in pixels, now and whenever it changes. Gives what ends that. */
export function watchSize(
  element: Element,
  onSize: (size: { readonly width: number; readonly height: number }) => void,
): () => void {
  return watch(element, ({ width, height }) =>
    onSize({ width: Math.floor(width), height: Math.floor(height) }),
  );
}

/** The same of how high it is, with all that is in it. */
export function watchHeight(element: HTMLElement, onHeight: (pixels: number) => void): () => void {
  return watch(element, () => onHeight(element.offsetHeight));
}

function watch(element: Element, onSize: (size: DOMRectReadOnly) => void): () => void {
  const observer = new ResizeObserver(([entry]) => onSize(entry!.contentRect));
  observer.observe(element);
  return () => observer.disconnect();
}
