import { computed, type ReadonlySignal } from '@preact/signals';
import type { Client, ParameterData } from '../../../src/client/client.ts';
import { isCalculated } from '../lines/calculated.ts';
import { reader } from '../lines/reader.ts';
import { floorDivide } from '../lines/time-text.ts';
import { extentOf, openStreams } from '../runs/open-streams.ts';
import { client } from '../session.ts';
import { isStream } from '../state/same-stream.ts';
import { stable } from '../state/stable.ts';
import { plots, streams } from '../state/view.ts';
import type { TimeRange } from '../state/view-text.ts';
import { type Loaded, loaded } from '../ui/loading.ts';
import { afterwards } from '../ui/turns.ts';
import { openParameters } from './parameters.ts';
import type { Spark } from './spark.ts';

export interface Overview {
  readonly range: TimeRange;
  readonly sparks: ReadonlyMap<string, Spark>;
}

/** Buckets of a run. */
const buckets = 64n;
/** More channels than this have no spark. */
const mostChannels = 400;

const written = stable(() =>
  (openParameters.value.value ?? []).filter(({ type }) => type === 'Numeric').map(({ id }) => id),
);
const calculated = stable(() => [...new Set(plots.value.flat())].filter(isCalculated));

/** All numeric channels of the first open run that are written, in one request. */
export const overview = overviewOf(client, written);
/** Calculated ones that are plotted: all rows of the run are read for them. */
const calculatedOverview = overviewOf(reader, calculated);

/** A channel over all of the first open run; undefined where it is not known. */
export function sparkOf(id: string): Spark | undefined {
  return calculatedOverview.value.value?.sparks.get(id) ?? overview.value.value?.sparks.get(id);
}

function overviewOf(
  source: ReadonlySignal<Client | undefined>,
  channels: ReadonlySignal<readonly string[]>,
): ReadonlySignal<Loaded<Overview>> {
  const range = stable(() => {
    const [first] = streams.value;
    const info = openStreams.value.value?.find((open) => first !== undefined && isStream(open, first));
    return info && extentOf([info]);
  });
  const first = computed(() => streams.value[0]);
  return loaded<Overview>(() => {
    const service = source.value;
    const [stream, shown] = [first.value, range.value];
    const names = channels.value.slice(0, mostChannels);
    if (service === undefined || stream === undefined || shown === undefined || names.length === 0)
      return undefined;
    const bucket = (shown.to - shown.from) / buckets + 1n;
    return afterwards(async (signal) => {
      const data = await service.query(
        {
          topic: stream.topic,
          streamIds: [stream.streamId],
          ...shown,
          numericParameters: names.flatMap((parameterName) =>
            (['Min', 'Max', 'Last'] as const).map((aggregationType) => ({ parameterName, aggregationType })),
          ),
          groupByTime: { timeBucketDuration: bucket },
        },
        { signal },
      );
      const firstBucket = floorDivide(shown.from, bucket);
      const places = data.timestamps.map((time) => Number(floorDivide(time, bucket) - firstBucket));
      return { range: shown, sparks: new Map(names.map((id) => [id, sparkFrom(data, places, id)])) };
    });
  });
}

function sparkFrom({ numericValues }: ParameterData, places: readonly number[], id: string): Spark {
  const length = Number(buckets) + 1;
  const column = (aggregation: string) => {
    const values = numericValues[`${aggregation}(${id})`] ?? [];
    const spread = Array.from({ length }, () => Number.NaN);
    for (const [row, value] of values.entries()) if (value !== null) spread[places[row]!] = value;
    return spread;
  };
  const last = (numericValues[`last(${id})`] ?? []).findLast((value) => value !== null) ?? undefined;
  return { low: column('min'), high: column('max'), last };
}
