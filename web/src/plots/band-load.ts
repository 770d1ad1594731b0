import type { Client } from '../../../src/client/client.ts';
import { bucketFor } from '../lines/point-load.ts';
import type { StreamRef, TimeRange } from '../state/view-text.ts';
import { bandsOf } from './bands.ts';
import type { Band } from './marks.ts';

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
