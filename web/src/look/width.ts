import { signal } from '@preact/signals';
import { settled } from '../ui/settled.ts';

/** Pixels that plots have across: what is asked of the service is bounded by it. */
export const plotWidth = signal(800);
/** The same, when the window has its size. */
export const restedWidth = settled(plotWidth, 60);

/** Keeps it as wide as an element is. Gives what ends that. */
export function watchWidth(element: Element): () => void {
  const observer = new ResizeObserver(([entry]) => {
    plotWidth.value = Math.max(200, Math.floor(entry!.contentRect.width) - 20);
  });
  observer.observe(element);
  return () => observer.disconnect();
}
