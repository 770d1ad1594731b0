import { computed } from '@preact/signals';
import { stable } from '../state/stable.ts';
import { chosenMap, mode, panel, streams } from '../state/view.ts';
import { overview } from './overview.ts';
import type { ParameterEntry } from './parameter-entry.ts';
import { openParameters } from './parameters.ts';
import { positionOf } from './position-names.ts';

/** The channel that says how far a lap has gone; undefined where none does by its name. */
export const distanceChannel = computed(() => named(/dist/i, /^k?m$|^ft$|^mi$|^$/i));
/** The channel whose largest value is the top speed of a lap; files of loggers often have no units. */
export const speedChannel = computed(() => named(/speed|velocity/i, /^/));

/** Of channels that are called so the one with the shortest name: "Speed" rather than "WheelSpeedFrontLeft". */
function named(name: RegExp, unit: RegExp): ParameterEntry | undefined {
  const known = (openParameters.value.value ?? []).filter(
    (entry) => entry.type === 'Numeric' && name.test(`${entry.id} ${entry.name}`) && unit.test(entry.unit),
  );
  return known.sort((a, b) => a.id.length - b.id.length)[0];
}

/** What a map is drawn of; x and y are empty where no channels are known, the colour where lines have their own. */
export interface MapChannels {
  readonly x: string;
  readonly y: string;
  readonly colour: string;
}

const position = computed(() => positionOf(openParameters.value.value ?? []));

/** Whether it is not known yet which of three axes goes up: the one along which less way is made. */
export const isFinding = computed(
  () => position.value?.z !== undefined && overview.value.value === undefined && overview.value.busy,
);

function spreadOf({ id }: ParameterEntry): number {
  const { low = [], high = [] } = overview.value.value?.sparks.get(id) ?? {};
  return Math.max(...high.filter(Number.isFinite)) - Math.min(...low.filter(Number.isFinite));
}

const isOfSeveral = computed(() => mode.value === 'overlay' || streams.value.length > 1);

/** Those that were chosen, or found by their names; the colour is the speed's, and of several laps or runs their own. */
export const mapChannels = stable<MapChannels>(() => {
  const map = chosenMap.value;
  if (map !== undefined) return { x: map[0], y: map[1], colour: map[2] };
  const found = isFinding.value ? undefined : position.value;
  const up = found?.z !== undefined && spreadOf(found.z) > spreadOf(found.y) ? found.z : found?.y;
  return {
    x: found?.x.id ?? '',
    y: up?.id ?? '',
    colour: isOfSeveral.value ? '' : (speedChannel.value?.id ?? ''),
  };
});

/** The channels of the map while it is seen. */
export const seenMapChannels = stable<readonly string[]>(() => {
  const { x, y, colour } = mapChannels.value;
  if (panel.value !== 'map' || x === '' || y === '') return [];
  return [...new Set([x, y, colour])].filter((name) => name !== '');
});
