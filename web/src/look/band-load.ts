import type { Client, ParameterData } from '../../../src/client/client.ts';
import type { StreamRef, TimeRange } from '../state/view.ts';
import { colourOfValue } from './colours.ts';
import type { Band } from './marks.ts';
import { bucketFor } from './traces.ts';

export interface BandWish {
  readonly tag: string;
  /** Rows that have a value of it make the bands. */
  readonly parameter: string;
  readonly range: TimeRange;
  readonly width: number;
}

/** More bands than pixels are no help to the eye. */
const mostRows = 4000;

/** Where a tag has which value, as finely as pixels show it: one question, however often the value changes. */
export async function loadBands(
  service: Client,
  { topic, streamId }: StreamRef,
  { tag, parameter, range, width }: BandWish,
  signal: AbortSignal,
): Promise<Band[]> {
  const bucket = bucketFor(range, width);
  const { data } = await service.page(
    {
      topic,
      streamIds: [streamId],
      ...range,
      numericParameters: [{ parameterName: parameter, aggregationType: 'Count' }],
      groupBy: [tag],
      groupByTime: { timeBucketDuration: bucket },
      limit: mostRows,
    },
    { signal },
  );
  return bandsOf(data, tag, bucket);
}

/** Buckets of one value in a row are one band; where two values share a bucket, the later one has it. */
export function bandsOf(
  data: Pick<ParameterData, 'timestamps' | 'tagValues'>,
  tag: string,
  bucket: bigint,
): Band[] {
  const values = data.tagValues[tag] ?? [];
  const bands: { from: bigint; to: bigint; value: string }[] = [];
  for (const [row, time] of data.timestamps.entries()) {
    const value = values[row] ?? null;
    if (value === null) continue;
    const last = bands.at(-1);
    const before = bands.at(-2);
    if (last?.value === value) last.to = time + bucket;
    else if (before?.value === value && before.to >= time) continue;
    else {
      if (last !== undefined && last.to > time) last.to = time;
      bands.push({ from: time, to: time + bucket, value });
    }
  }
  return bands
    .filter(({ from, to }) => to > from)
    .map(({ from, to, value }) => ({ from, to, label: `${tag} ${value}`, colour: colourOfValue(value) }));
}
