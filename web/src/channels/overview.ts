import { computed, type ReadonlySignal } from '@preact/signals';
import type { Client, ParameterData } from '../../../src/client/client.ts';
import { isCalculated } from '../lines/calculated.ts';
import { reader, unitReader } from '../lines/reader.ts';
import { floorDivide } from '../lines/time-text.ts';
import { askAgain } from '../runs/asked-again.ts';
import { extentOf, openStreams } from '../runs/open-streams.ts';
import { isStream } from '../state/same-stream.ts';
import { stable } from '../state/stable.ts';
import { isLive, plots, streams } from '../state/view.ts';
import type { StreamRef, TimeRange } from '../state/view-text.ts';
import { type Loaded, loaded } from '../ui/loading.ts';
import { afterwards, first } from '../ui/turns.ts';
import { isWrittenIn } from './parameter-entry.ts';
import { openParameters } from './parameters.ts';
import { type Spark, sparkBuckets } from './spark.ts';

export interface Overview {
  readonly stream: StreamRef;
  readonly sparks: ReadonlyMap<string, Spark>;
}

/** So many channels a request. */
const together = 400;

const written = stable(() => {
  const [first] = streams.value;
  return (openParameters.value.value ?? [])
    .filter((entry) => entry.type === 'Numeric' && first !== undefined && isWrittenIn(entry, first))
    .map(({ id }) => id);
});
const calculated = stable(() => [...new Set(plots.value.flat())].filter(isCalculated));

/** All numeric channels of the first open run that are written. */
export const overview = overviewOf(unitReader, written);
askAgain(overview);
/** Calculated ones that are plotted: all rows of the run are read for them. */
export const calculatedOverview = overviewOf(reader, calculated);

function overviewOf(
  source: ReadonlySignal<Client | undefined>,
  channels: ReadonlySignal<readonly string[]>,
): ReadonlySignal<Loaded<Overview>> {
  const range = stable(() => {
    const [first] = streams.value;
    const info = openStreams.value.value?.find((open) => first !== undefined && isStream(open, first));
    return info && extentOf([info]);
  });
  const opened = computed(() => streams.value[0]);
  return loaded<Overview>(() => {
    const service = source.value;
    const [stream, shown] = [opened.value, range.value];
    const names = channels.value;
    if (service === undefined || stream === undefined || shown === undefined || names.length === 0)
      return undefined;
    const load = async (signal: AbortSignal) => {
      const all = isLive.peek() ? ((await extentNow(service, stream, signal)) ?? shown) : shown;
      const bucket = (all.to - all.from) / BigInt(sparkBuckets) + 1n;
      const sparks = new Map<string, Spark>();
      for (let i = 0; i < names.length; i += together) {
        const some = names.slice(i, i + together);
        const data = await loadBuckets(service, stream, some, all, bucket, signal);
        for (const id of some) sparks.set(id, sparkFrom(data, id, all, bucket));
      }
      return { stream, sparks };
    };
    // What is plotted is chosen by it where nothing is.
    return plots.peek().length === 0 ? first(load) : afterwards(load);
  });
}

/** A run that is followed goes on beyond what was known of it. */
async function extentNow(
  service: Client,
  { topic, streamId }: StreamRef,
  signal: AbortSignal,
): Promise<TimeRange | undefined> {
  return extentOf(await service.streams({ topic, streamIds: [streamId] }, { signal }));
}

/** The smallest, the largest and the last value of channels, bucket by bucket. */
export function loadBuckets(
  service: Client,
  { topic, streamId }: StreamRef,
  names: readonly string[],
  range: Partial<TimeRange>,
  bucket: bigint,
  signal: AbortSignal,
): Promise<ParameterData> {
  const numericParameters = names.flatMap((parameterName) =>
    (['Min', 'Max', 'Last'] as const).map((aggregationType) => ({ parameterName, aggregationType })),
  );
  const query = { topic, streamIds: [streamId], ...range, numericParameters };
  return service.query({ ...query, groupByTime: { timeBucketDuration: bucket } }, { signal });
}

function sparkFrom(
  { timestamps, numericValues }: ParameterData,
  id: string,
  range: TimeRange,
  bucket: bigint,
): Spark {
  const first = floorDivide(range.from, bucket);
  const places = timestamps.map((time) => Number(floorDivide(time, bucket) - first));
  const buckets = Number(floorDivide(range.to, bucket) - first) + 1;
  const column = (aggregation: string) => {
    const values = numericValues[`${aggregation}(${id})`] ?? [];
    const spread = Array.from({ length: buckets }, () => Number.NaN);
    for (const [row, value] of values.entries()) if (value !== null) spread[places[row]!] = value;
    return spread;
  };
  const last = (numericValues[`last(${id})`] ?? []).findLast((value) => value !== null) ?? undefined;
  return { from: first * bucket, bucket, low: column('min'), high: column('max'), last, to: range.to };
}
