import { computed } from '@preact/signals';
import { type Look, lookIn, lookOfLine, looksOfChannels } from '../lines/colours.ts';
import type { Line } from '../lines/points.ts';
import { mayBeStates } from '../lines/states.ts';
import { chosenLooks, mode, streams } from '../state/view.ts';
import { plottedNumbers } from './plotted.ts';
import { sparkOf } from './sparks.ts';

const looks = computed(() => looksOfChannels(plottedNumbers.value, chosenLooks.value));

/** How a channel is drawn where one run is open: no two that are plotted look the same. */
export function channelLook(parameter: string): Look {
  return looks.value.get(parameter) ?? looksOfChannels([parameter], chosenLooks.value).get(parameter)!;
}

/** Whether colours tell channels, and not runs or laps. */
export const areOfChannels = computed(() => streams.value.length < 2 && mode.value !== 'overlay');

/** How a run or lap draws a channel: beside others colour tells the run or lap, and alone the channel. */
export function lookAmong(parameter: string, index: number, lines: number): Look {
  if (lines < 2) return channelLook(parameter);
  const { width } = lookIn(chosenLooks.value, parameter);
  return { ...lookOfLine(index), ...(width && { width }) };
}

/** Whole numbers that are so few at most are steps. */
const mostSteps = 16;

/** Channels of the open runs that were seen to have more. */
const many = computed(() => {
  streams.value;
  return new Set<string>();
});

/** Whether a channel is drawn as steps: where that was chosen, or by itself a gear, a state, or few whole numbers. */
export function areSteps(parameter: string, points: Pick<Line, 'low' | 'high'>): boolean {
  const { drawn } = lookIn(chosenLooks.value, parameter);
  if (drawn !== undefined) return drawn === 'steps';
  if (/gear/i.test(parameter)) return mayBeStates(points, mostSteps);
  // What is seen may have few of many values, and the extremes of all of the run are fewer than the values between them.
  const isFew = [points, sparkOf(parameter)].every(
    (line) => line === undefined || line.low.length === 0 || mayBeStates(line, mostSteps),
  );
  if (!isFew) many.value.add(parameter);
  return isFew && !many.value.has(parameter);
}
