import { computed } from '@preact/signals';
import { openParameters } from '../channels/parameters.ts';
import { isStates } from '../channels/plotted.ts';
import { plots } from '../state/view.ts';
import { plotWidth, restedWidth } from './width.ts';

/** Pixels beside what is drawn: the scale on the left, the one on the right, and the edge. */
export const leftSize = 70;
export const rightSize = 58;
export const edgeSize = 12;

export function unitOf(parameter: string): string {
  return openParameters.value.value?.find(({ id }) => id === parameter)?.unit ?? '';
}

/** Scales on the right, one for each unit behind the first: all plots leave room for as many, so that their times agree. */
export const rightScales = computed(() =>
  Math.max(
    0,
    ...plots.value.map(
      (parameters) => new Set(parameters.filter((name) => !isStates(name)).map(unitOf)).size - 1,
    ),
  ),
);

/** Pixels on the right of what is drawn. */
export function rightRoom(scales: number): number {
  return edgeSize + scales * rightSize;
}

/** Pixels that are drawn on in a plot of some width. */
export function drawnPixels(width: number, scales: number): number {
  return Math.max(1, width - leftSize - rightRoom(scales));
}

/** The same for the plots over time, now and when the window has its size. */
export const drawnWidth = computed(() => drawnPixels(plotWidth.value, rightScales.value));
export const restedDrawnWidth = computed(() => drawnPixels(restedWidth.value, rightScales.value));
