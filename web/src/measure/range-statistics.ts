import { computed } from '@preact/signals';
import type { Client, RequestedParameter } from '../../../src/client/client.ts';
import { plottedNumbers } from '../channels/plotted.ts';
import { followedRange } from '../lines/followed.ts';
import { reader } from '../lines/reader.ts';
import { beat } from '../live/news.ts';
import { restedRange } from '../plots/range.ts';
import { chosenCursors, isLive, mode, streams, view } from '../state/view.ts';
import type { StreamRef, TimeRange } from '../state/view-text.ts';
import { loaded } from '../ui/loading.ts';
import { resting } from '../ui/resting.ts';

/** What the service says of the rows of one channel in a range; undefined where there is no such number. */
export interface Statistics {
  readonly stream: StreamRef;
  readonly parameter: string;
  readonly range: TimeRange;
  readonly least: number | undefined;
  readonly largest: number | undefined;
  readonly mean: number | undefined;
  readonly deviation: number | undefined;
  readonly p95: number | undefined;
  readonly count: number;
}

/** What is measured: from A to B, or what is seen where not both are set. */
export const measured = computed<TimeRange | undefined>(() => {
  const { a, b } = chosenCursors.value;
  if (a === undefined || b === undefined) return restedRange.value;
  return a < b ? { from: a, to: b } : { from: b, to: a };
});

const isSeen = computed(() => view.value.panel === 'measure' && mode.value === 'time');

/** Live, it is worked out again for what is seen then. */
const { now, read } = resting(beat, { ms: 1500, times: 10 });

export const statistics = loaded<Statistics[]>(() => {
  const service = reader.value;
  const { a, b } = chosenCursors.value;
  const isMoving = isLive.value && (a === undefined || b === undefined);
  const range = isMoving ? followedRange() : measured.value;
  const open = streams.value;
  const names = plottedNumbers.value;
  if (!isSeen.value || service === undefined || range === undefined || names.length === 0) return undefined;
  const load = async (signal: AbortSignal) =>
    (await Promise.all(open.map((stream) => loadStatistics(service, stream, names, range, signal)))).flat();
  // Between A and B, too, rows may come.
  return isLive.value ? (signal) => read(() => load(signal)) : load;
}, now);

async function loadStatistics(
  service: Client,
  stream: StreamRef,
  names: readonly string[],
  range: TimeRange,
  signal: AbortSignal,
): Promise<Statistics[]> {
  const ask = (numericParameters: readonly RequestedParameter[]) =>
    service.query(
      { topic: stream.topic, streamIds: [stream.streamId], ...range, numericParameters },
      { signal },
    );
  const plain = names.flatMap((parameterName) =>
    (['Min', 'Max', 'Mean', 'StdDev', 'Count'] as const).map((aggregationType) => ({
      parameterName,
      aggregationType,
    })),
  );
  const [some, percentiles] = await Promise.all([
    ask(plain),
    // They keep every value: of very many rows the service refuses them.
    ask(names.map((parameterName) => ({ parameterName, aggregationType: 'P95' as const }))).catch(
      () => undefined,
    ),
  ]);
  return names.map((parameter) => {
    const number = (aggregation: string) =>
      some.numericValues[`${aggregation}(${parameter})`]?.[0] ?? undefined;
    return {
      stream,
      parameter,
      range,
      least: number('min'),
      largest: number('max'),
      mean: number('mean'),
      deviation: number('stddev'),
      p95: percentiles?.numericValues[`p95(${parameter})`]?.[0] ?? undefined,
      count: number('count') ?? 0,
    };
  });
}
