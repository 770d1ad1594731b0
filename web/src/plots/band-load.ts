import type { Client } from '../../../src/client/client.ts';
import { bucketFor } from '../lines/point-load.ts';
import type { StreamRef, TimeRange } from '../state/view-text.ts';
import { bandsOf, heldBands } from './bands.ts';
import type { Band } from './marks.ts';

export interface BandWish {
  readonly tag: string;
  /** Rows that have a value of it make the bands. */
  readonly parameter: string;
  readonly range: TimeRange;
  readonly width: number;
}

/** What is read at once, and in all: with more values a pixel has no one colour. */
const pageRows = 4000;
const mostRows = 40_000;

/**
 * Where a tag has which value, as finely as pixels show it, however often the value changes. Undefined where a few pixels
 * have so many values that no colour would be true.
 */
export async function loadBands(
  service: Client,
  { topic, streamId }: StreamRef,
  { tag, parameter, range, width }: BandWish,
  signal: AbortSignal,
): Promise<Band[] | undefined> {
  const bucket = bucketFor(range, width);
  const query = {
    topic,
    streamIds: [streamId],
    ...range,
    numericParameters: [{ parameterName: parameter, aggregationType: 'Count' as const }],
    groupBy: [tag],
    groupByTime: { timeBucketDuration: bucket },
  };
  const timestamps: bigint[] = [];
  const values: (string | null)[] = [];
  for await (const page of service.pages(query, pageRows, { signal })) {
    timestamps.push(...page.timestamps);
    values.push(...(page.tagValues[tag] ?? page.timestamps.map(() => null)));
    if (timestamps.length > mostRows) return undefined;
  }
  return bandsOf({ timestamps, tagValues: { [tag]: values } }, tag, bucket);
}

/** More bands than this are no colours that one could tell apart. */
const mostBands = 400;

/**
 * The same of a channel, such as one that counts laps: its last number in each pixel, held until the next one, and no longer
 * than there are rows.
 */
export async function loadChannelBands(
  service: Client,
  { topic, streamId }: StreamRef,
  { parameter, range, width, end }: Omit<BandWish, 'tag'> & { readonly end: bigint },
  signal: AbortSignal,
): Promise<Band[] | undefined> {
  const run = { topic, streamIds: [streamId] };
  const numericParameters = [{ parameterName: parameter, aggregationType: 'Last' as const }];
  const groupByTime = { timeBucketDuration: bucketFor(range, width) };
  const [before, data] = await Promise.all([
    service.page(
      {
        ...run,
        to: range.from - 1n,
        numericParameters: [{ parameterName: parameter }],
        order: 'Desc',
        limit: 1,
      },
      { signal },
    ),
    service.query({ ...run, ...range, numericParameters, groupByTime }, { signal }),
  ]);
  const held = before.data.numericValues[parameter]?.[0] ?? null;
  const values = data.numericValues[`last(${parameter})`] ?? [];
  const rows = [
    { time: range.from, value: held },
    ...data.timestamps.map((time, i) => ({ time, value: values[i] ?? null })),
  ].flatMap(({ time, value }) => (value === null || !Number.isFinite(value) ? [] : [{ time, value }]));
  const bands = heldBands(parameter, rows, end < range.to ? end : range.to);
  return bands.length > mostBands ? undefined : bands;
}
