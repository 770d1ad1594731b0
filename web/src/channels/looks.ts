import { computed } from '@preact/signals';
import { type Look, lookOfLine, looksOfChannels } from '../lines/colours.ts';
import { mode, streams } from '../state/view.ts';
import { plottedNumbers } from './plotted.ts';

const looks = computed(() => looksOfChannels(plottedNumbers.value));

/** How a channel is drawn where one run is open: no two that are plotted look the same. */
export function channelLook(parameter: string): Look {
  return looks.value.get(parameter) ?? looksOfChannels([parameter]).get(parameter)!;
}

/** Whether colours tell channels, and not runs or laps. */
export const areOfChannels = computed(() => streams.value.length < 2 && mode.value !== 'overlay');

/** How a run or lap draws a channel: beside others colour tells the run or lap, and alone the channel. */
export function lookAmong(parameter: string, index: number, lines: number): Look {
  return lines > 1 ? lookOfLine(index) : channelLook(parameter);
}
