import { signal } from '@preact/signals';
import { settled } from '../ui/settled.ts';

/** Pixels that plots have across: what is asked of the service is bounded by it. */
export const plotWidth = signal(800);
/** The same, when the window has its size. */
export const restedWidth = settled(plotWidth, 60);

/** Keeps it as wide as an element is. Gives what ends that. */
export function watchWidth(element: Element): () => void {
  return watch(element, ({ width }) => {
    plotWidth.value = Math.max(200, Math.floor(width));
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
