import { openParameters } from '../channels/parameters.ts';
import { plottedNumbers } from '../channels/plotted.ts';
import { isCalculated } from '../lines/calculated.ts';
import { client } from '../session.ts';
import { bandsTag, isLive, mode, panel, streams } from '../state/view.ts';
import { loaded } from '../ui/loading.ts';
import { loadBands } from './band-load.ts';
import { loadEvents } from './event-load.ts';
import type { Marks } from './marks.ts';
import { restedRange } from './range.ts';
import { restedWidth } from './width.ts';

/** Events of the open streams in the range, and the values of a tag of the first of them as bands. */
export const marks = loaded<Marks>(() => {
  const service = client.value;
  const shown = restedRange.value;
  const open = streams.value;
  const tag = bandsTag.value;
  const pixels = restedWidth.value;
  const known = openParameters.value.value ?? [];
  const written = plottedNumbers.value.find((name) => !isCalculated(name));
  const parameter = written ?? known.find(({ type }) => type === 'Numeric')?.id;
  const isSeen = mode.value === 'time' || panel.value === 'events';
  if (!isSeen || isLive.value || service === undefined || shown === undefined || open.length === 0)
    return undefined;
  return async (signal) => {
    const [events, bands] = await Promise.all([
      loadEvents(service, open, shown, pixels, signal),
      tag === '' || parameter === undefined
        ? []
        : loadBands(service, open[0]!, { tag, parameter, range: shown, width: pixels }, signal),
    ]);
    return { events, bands };
  };
});
