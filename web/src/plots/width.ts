import { computed, signal } from '@preact/signals';
import { settled } from '../ui/settled.ts';

/** Until it is measured. */
const usualWidth = 800;
const measured = signal<number | undefined>(undefined);
/** The first one is taken at once: nothing is asked for twice. */
const rested = settled(measured, 60);

/** Pixels that plots have across: what is asked of the service is bounded by it. */
export const plotWidth = computed(() => measured.value ?? usualWidth);
/** The same, when the window has its size. */
export const restedWidth = computed(() => rested.value ?? usualWidth);

/** Keeps it as wide as an element is. Gives what ends that. */
export function watchWidth(element: Element): () => void {
  return watch(element, ({ width }) => {
    measured.value = Math.max(200, Math.floor(width));
  });
}

/** Tells how high an element is, now and whenever that changes. Gives what ends that. */
export function watchHeight(element: Element, onHeight: (pixels: number) => void): () => void {
  return watch(element, ({ height }) => onHeight(Math.floor(height)));
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

/** The same of its width. */
export function watchWidthOf(element: Element, onWidth: (pixels: number) => void): () => void {
  return watch(element, ({ width }) => onWidth(Math.floor(width)));
}

function watch(element: Element, onSize: (size: DOMRectReadOnly) => void): () => void {
  const observer = new ResizeObserver(([entry]) => onSize(entry!.contentRect));
  observer.observe(element);
  return () => observer.disconnect();
}
