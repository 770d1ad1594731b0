import { computed } from '@preact/signals';
import type { ParameterDataQuery } from '../../../src/client/client.ts';
import { openParameters } from '../look/catalogue.ts';
import { restedRange } from '../look/range.ts';
import { plots, streams } from '../state/view.ts';

/** The rows behind what is seen: the plotted parameters, or all where none is plotted; undefined without streams. */
export const shownQuery = computed<ParameterDataQuery | undefined>(() => {
  const open = streams.value;
  const shown = restedRange.value;
  if (open.length === 0 || shown === undefined) return undefined;
  const entries = openParameters.value.value ?? [];
  const plotted = [...new Set(plots.value.flat())];
  const namesOf = (type: string) =>
    entries.filter((entry) => entry.type === type).map(({ id }) => ({ parameterName: id }));
  const numeric =
    plotted.length > 0 ? plotted.map((parameterName) => ({ parameterName })) : namesOf('Numeric');
  const strings = plotted.length > 0 ? [] : namesOf('String');
  if (numeric.length + strings.length === 0) return undefined;
  const topics = new Set(open.map(({ topic }) => topic));
  return {
    ...(topics.size === 1 && { topic: open[0]!.topic }),
    streamIds: open.map(({ streamId }) => streamId),
    numericParameters: numeric,
    ...(strings.length > 0 && { stringParameters: strings }),
    ...shown,
    ...(open.length > 1 && { groupBy: ['streamId'] }),
  };
});
