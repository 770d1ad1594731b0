import { computed } from '@preact/signals';
import { openParameters } from '../channels/parameters.ts';
import { plots } from '../state/view.ts';
import { plotWidth, restedWidth } from './width.ts';

/** Pixels beside what is drawn: the scale on the left, the one on the right, and the edge. */
export const leftSize = 70;
export const rightSize = 58;
export const edgeSize = 12;

export function unitOf(parameter: string): string {
  return openParameters.value.value?.find(({ id }) => id === parameter)?.unit ?? '';
}

/** Whether a plot has two units: all plots leave room for the scale on the right, so that their times agree. */
export const hasRightScale = computed(() =>
  plots.value.some((parameters) => new Set(parameters.map(unitOf)).size > 1),
);

/** Pixels that are drawn on in a plot of some width. */
export function drawnPixels(width: number, isRightScale: boolean): number {
  return Math.max(1, width - leftSize - edgeSize - (isRightScale ? rightSize : 0));
}

/** The same for the plots over time, now and when the window has its size. */
export const drawnWidth = computed(() => drawnPixels(plotWidth.value, hasRightScale.value));
export const restedDrawnWidth = computed(() => drawnPixels(restedWidth.value, hasRightScale.value));
