import { signal } from '@preact/signals';

/** The time under the pointer, ns; undefined where it is over no plot. */
export const cursorTime = signal<bigint | undefined>(undefined);

/** So many pixels from a point one still means it. */
export const reachPixels = 4;
