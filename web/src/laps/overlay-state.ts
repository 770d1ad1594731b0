import { computed } from '@preact/signals';
import { openParameters } from '../channels/parameters.ts';
import { plottedNumbers } from '../channels/plotted.ts';
import { client } from '../session.ts';
import { ofEachTopic } from '../state/by-topic.ts';
import { isStream } from '../state/same-stream.ts';
import { stable } from '../state/stable.ts';
import { picks, streams, view } from '../state/view.ts';
import type { LapRef, View } from '../state/view-text.ts';
import { loaded } from '../ui/loading.ts';
import { drivenLaps } from './driven-laps.ts';
import { lapTag } from './lap-tag.ts';

const tag = computed(() => view.value.overlayTag);
const values = stable(() => view.value.overlayValues);
const alignBy = computed(() => view.value.alignBy);

/** What is laid over each other. */
export const overlay = computed(() => ({ tag: tag.value, values: values.value, alignBy: alignBy.value }));

/**
 * What lies over each other: the laps that were ticked, or else the chosen values of all streams, or whole streams. While
 * live data is followed, the laps that are being driven lie over those that were ticked.
 */
export const comparedLaps = stable<readonly LapRef[]>(() => {
  const ticked = picks.value.filter(({ stream }) => streams.value.some((open) => isStream(open, stream)));
  const driven = tag.value === lapTag.value && values.value.length === 0 ? drivenLaps.value : [];
  if (tag.value !== '' && (picks.value.length > 0 || driven.length > 0)) {
    const isNew = (lap: LapRef) =>
      !ticked.some((own) => own.value === lap.value && isStream(own.stream, lap.stream));
    return [...ticked, ...driven.filter(isNew)];
  }
  const all = tag.value === '' ? [''] : values.value;
  return streams.value.flatMap((stream) => all.map((value) => ({ stream, value })));
});

/** Of an XY plot: across, up, colour; where none was chosen, two channels, those that are plotted first. */
export const axes = stable((): View['xy'] => {
  const { xy } = view.value;
  if (xy.some((name) => name !== '')) return xy;
  const others = (openParameters.value.value ?? []).filter(({ type }) => type === 'Numeric');
  const [x = '', y = ''] = new Set([...plottedNumbers.value, ...others.map(({ id }) => id)]);
  return [x, y, ''];
});

/** What the tag can be, numbers in the order of numbers. */
export const tagValues = loaded<string[]>(() => {
  const service = client.value;
  const open = streams.value;
  const name = tag.value;
  if (service === undefined || open.length === 0 || name === '') return undefined;
  return async (signal) => {
    const found = await ofEachTopic(open, (place) => service.tagValues(name, place, { signal }));
    return [...new Set(found)].sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  };
});
