import { computed } from '@preact/signals';
import { openParameters } from '../channels/parameters.ts';
import { plottedNumbers } from '../channels/plotted.ts';
import { isCalculated } from '../lines/calculated.ts';
import { followed, followedRange } from '../lines/followed.ts';
import { refreshes } from '../runs/found.ts';
import { tagsOfOpen } from '../runs/open-tags.ts';
import { client } from '../session.ts';
import { bandsTag, isLive, mode, panel, streams } from '../state/view.ts';
import { later, loaded } from '../ui/loading.ts';
import { resting } from '../ui/resting.ts';
import { afterwards } from '../ui/turns.ts';
import { loadBands, loadChannelBands } from './band-load.ts';
import { loadEvents } from './event-load.ts';
import { type Marks, noMarks } from './marks.ts';
import { extent, isRangeOfOthers, restedRange } from './range.ts';
import { isMeasured, restedWidth } from './width.ts';

/** What is followed is looked at again and again, as it is then. */
// An event may come behind the last row.
const changes = computed(() => (isLive.value ? [followed.value, refreshes.value] : undefined));
const { now, read } = resting(changes, { ms: 1500, times: 10 });

/** The channel whose numbers are bands; undefined where it is a tag. */
const bandsChannel = computed(() => {
  const name = bandsTag.value;
  const isTag = tagsOfOpen.value?.some((tag) => tag.name === name) ?? true;
  const known = openParameters.value.value ?? [];
  return !isTag && known.some(({ type, id }) => type === 'Numeric' && id === name) ? name : undefined;
});

/** Whether open runs are known to have neither a tag nor a channel that is called so, and nothing of it is drawn. */
export const isBandsUnknown = computed(() => {
  const name = bandsTag.value;
  const { value: known, busy } = openParameters.value;
  if (name === '' || known === undefined || busy || tagsOfOpen.value === undefined) return false;
  const isTag = tagsOfOpen.value.some((tag) => tag.name === name);
  return !isTag && bandsChannel.value === undefined && (marks.value.value?.bands.length ?? 0) === 0;
});

/** Events of the open streams in the range, and the values of a tag or channel of the first of them as bands. */
export const marks = loaded<Marks>(() => {
  const service = client.value;
  const isMoving = isLive.value;
  const shown = isMoving ? followedRange() : restedRange.value;
  const open = streams.value;
  const tag = bandsTag.value;
  const channel = bandsChannel.value;
  const end = isMoving ? (shown?.to ?? 0n) : (extent.value?.to ?? shown?.to ?? 0n);
  const pixels = restedWidth.value;
  const known = openParameters.value.value ?? [];
  const written = plottedNumbers.value.find((name) => !isCalculated(name));
  const parameter = written ?? known.find(({ type }) => type === 'Numeric')?.id;
  const isSeen = mode.value === 'time' || panel.value === 'events';
  if (!isSeen || service === undefined || shown === undefined || open.length === 0) return undefined;
  if ((!isMoving && isRangeOfOthers.value) || !isMeasured.value) return later;
  const load = afterwards(async (signal) => {
    const [events, bands] = await Promise.all([
      loadEvents(service, open, shown, pixels, signal),
      tag === '' || parameter === undefined
        ? []
        : channel === undefined
          ? loadBands(service, open[0]!, { tag, parameter, range: shown, width: pixels }, signal)
          : loadChannelBands(
              service,
              open[0]!,
              { parameter: channel, range: shown, width: pixels, end },
              signal,
            ),
    ]);
    if (bands === undefined) return { events, bands: [], isCrowded: true };
    return events.length + bands.length === 0 ? noMarks : { events, bands, isCrowded: false };
  });
  return isMoving ? (signal) => read(() => load(signal)) : load;
}, now);

/** What the plots draw of them: it changes only when they do. */
export const drawnMarks = computed(() => marks.value.value ?? noMarks);
