import { computed } from '@preact/signals';
import { openParameters } from '../channels/parameters.ts';
import { plottedNumbers } from '../channels/plotted.ts';
import { client } from '../session.ts';
import { ofEachTopic } from '../state/by-topic.ts';
import { noSource } from '../state/lap-source.ts';
import { isStream } from '../state/same-stream.ts';
import { stable } from '../state/stable.ts';
import { lapsBy, picks, streams, view } from '../state/view.ts';
import type { LapRef, View } from '../state/view-text.ts';
import { later, loaded } from '../ui/loading.ts';
import { drivenLaps } from './driven-laps.ts';
import { lapList } from './lap-list.ts';
import type { LapRow } from './lap-rows.ts';
import { lapSelection } from './lap-selection.ts';
import { lapSource } from './lap-source.ts';

/** Until something is chosen, or laps are ticked, whole runs lie over each other. */
const source = computed(() => (lapsBy.value === undefined ? noSource : lapSource.value));
const values = stable(() => view.value.overlayValues);
const alignBy = computed(() => view.value.alignBy);

/** What is laid over each other. */
export const overlay = computed(() => ({
  source: source.value,
  values: values.value,
  alignBy: alignBy.value,
}));

const noLaps: readonly LapRow[] = [];
const countedLaps = computed(() => (source.value.kind === 'channel' ? lapList.value.value : undefined));
/** Laps that are told apart by their times, too: those of a tag of which a value comes again. */
const turns = stable(() => {
  const laps = source.value.kind === 'tag' ? (lapList.value.value ?? noLaps) : noLaps;
  return laps.some(({ range }) => range !== undefined) ? laps : noLaps;
});
/** Which rows what is laid over each other has. */
export const selectLap = computed(() => lapSelection(source.value, countedLaps.value ?? turns.value));
/** Whether it is not known yet when the laps are: a value of a tag may come again. */
export const areLapsComing = computed(
  () => source.value.kind !== 'none' && lapList.value.value === undefined && lapList.value.busy,
);

/**
 * What lies over each other: the laps that were ticked, or else the chosen values of all streams, or whole streams. While
 * live data is followed, the laps that are being driven lie over those that were ticked.
 */
export const comparedLaps = stable<readonly LapRef[]>(() => {
  const ticked = picks.value.filter(({ stream }) => streams.value.some((open) => isStream(open, stream)));
  const hasLaps = source.value.kind !== 'none';
  const driven = values.value.length === 0 ? drivenLaps.value : [];
  if (hasLaps && (picks.value.length > 0 || driven.length > 0)) {
    const isNew = (lap: LapRef) =>
      !ticked.some((own) => own.value === lap.value && isStream(own.stream, lap.stream));
    return [...ticked, ...driven.filter(isNew)];
  }
  const all = hasLaps ? values.value : [''];
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

/** Which laps there are, numbers in the order of numbers. */
export const lapValues = loaded<string[]>(() => {
  const service = client.value;
  const open = streams.value;
  const { kind, name } = source.value;
  if (service === undefined || open.length === 0 || kind === 'none') return undefined;
  const known = kind === 'channel' || turns.value.length > 0 ? lapList.value : undefined;
  if (known !== undefined && known.value === undefined) return later;
  return async (signal) => {
    const found =
      known?.value?.map(({ value }) => value) ??
      (await ofEachTopic(open, (place) => service.tagValues(name, place, { signal })));
    return [...new Set(found)].sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  };
});
