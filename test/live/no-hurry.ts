import { createSlices } from '../../src/turns/slices.ts';

/** Slices that are never over: all is done at once. */
export const noHurry = createSlices('test', 2, () => 0);

/** Slices that are over after a look or two at the clock. */
export function shortSlices() {
  let time = 0;
  return createSlices('test', 2, () => ++time);
}
