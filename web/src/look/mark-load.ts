import { client } from '../session.ts';
import { bandsTag, isLive, plots, streams } from '../state/view.ts';
import { loaded } from '../ui/loading.ts';
import { loadBands } from './band-load.ts';
import { openParameters } from './catalogue.ts';
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
  const parameter = plots.value[0]?.[0] ?? known.find(({ type }) => type === 'Numeric')?.id;
  if (isLive.value || service === undefined || shown === undefined || open.length === 0) return undefined;
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
