import { computed } from '@preact/signals';
import type { ParameterDataQuery } from '../../../src/client/client.ts';
import { axes, overlay } from '../compare/overlay-state.ts';
import { openParameters } from '../look/catalogue.ts';
import { restedRange, seenRange } from '../look/range.ts';
import { isLive, mode, plots, streams } from '../state/view.ts';

/** What of the rows is seen: parameters by kind, and of a tag which values. */
interface Seen {
  readonly numeric: readonly string[];
  readonly strings?: readonly string[];
  readonly tag?: string;
  readonly values?: readonly string[];
}

/** The plotted parameters, or all where none is plotted. */
function seenOverTime(): Seen {
  const plotted = [...new Set(plots.value.flat())];
  if (plotted.length > 0) return { numeric: plotted };
  const entries = openParameters.value.value ?? [];
  const namesOf = (type: string) => entries.filter((entry) => entry.type === type).map(({ id }) => id);
  return { numeric: namesOf('Numeric'), strings: namesOf('String') };
}

/** The plotted parameters of what is laid over each other, and what it is laid over. */
function seenInOverlay(): Seen {
  const { tag, values, alignBy } = overlay.value;
  const plotted = plots.value.flat();
  if (plotted.length === 0 || (tag !== '' && values.length === 0)) return { numeric: [] };
  return { numeric: [...new Set([...plotted, ...(alignBy === '' ? [] : [alignBy])])], tag, values };
}

function seenOverAnother(): Seen {
  const { tag, values } = overlay.value;
  const [x, y] = axes.value;
  if (x === '' || y === '') return { numeric: [] };
  return { numeric: [...new Set(axes.value)].filter((name) => name !== ''), tag, values };
}

const seenIn = {
  time: seenOverTime,
  table: seenOverTime,
  overlay: seenInOverlay,
  xy: seenOverAnother,
} as const;

/** The rows behind what is seen; undefined where nothing is. */
export const shownQuery = computed<ParameterDataQuery | undefined>(() => {
  const open = streams.value;
  const range = isLive.value ? seenRange.value : restedRange.value;
  const { numeric, strings = [], tag = '', values = [] } = seenIn[mode.value]();
  if (open.length === 0 || range === undefined || numeric.length + strings.length === 0) return undefined;
  const requested = (names: readonly string[]) => names.map((parameterName) => ({ parameterName }));
  const topics = new Set(open.map(({ topic }) => topic));
  const isPart = tag !== '' && values.length > 0;
  const groupBy = [...(open.length > 1 ? ['streamId'] : []), ...(isPart ? [tag] : [])];
  return {
    ...(topics.size === 1 && { topic: open[0]!.topic }),
    streamIds: open.map(({ streamId }) => streamId),
    numericParameters: requested(numeric),
    ...(strings.length > 0 && { stringParameters: requested(strings) }),
    ...range,
    ...(isPart && { tagFilters: [{ tag, value: values }] }),
    ...(groupBy.length > 0 && { groupBy }),
  };
});
