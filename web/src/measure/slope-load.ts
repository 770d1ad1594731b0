import type { Client } from '../../../src/client/client.ts';
import { bucketFor } from '../lines/point-load.ts';
import type { RowsWish } from '../lines/rows-wish.ts';

/** Of more rows than this the line goes through their means over short times, so many of them. */
const mostRows = 4000;

/** How steep the straight line is that fits the rows of a channel best, per second; undefined where no line does. */
export async function loadSlope(
  service: Client,
  { rows, range }: RowsWish,
  parameterName: string,
  count: number,
  signal: AbortSignal,
): Promise<number | undefined> {
  if (count < 2) return undefined;
  const ask = { ...rows, ...range };
  if (count <= mostRows) {
    const { timestamps, numericValues } = await service.query(
      { ...ask, numericParameters: [{ parameterName }] },
      { signal },
    );
    return slopeOf(timestamps, numericValues[parameterName] ?? []);
  }
  const bucket = bucketFor(range, mostRows);
  const { timestamps, numericValues } = await service.query(
    {
      ...ask,
      numericParameters: (['Mean', 'Count'] as const).map((aggregationType) => ({
        parameterName,
        aggregationType,
      })),
      groupByTime: { timeBucketDuration: bucket },
    },
    { signal },
  );
  const means = numericValues[`mean(${parameterName})`] ?? [];
  return slopeOf(timestamps, means, numericValues[`count(${parameterName})`]);
}

/** By least squares, values weighted by how many rows they stand for. */
export function slopeOf(
  times: readonly bigint[],
  values: readonly (number | null)[],
  counts: readonly (number | null)[] = [],
): number | undefined {
  const points = times.flatMap((time, row) => {
    const value = values[row] ?? Number.NaN;
    return Number.isFinite(value)
      ? [{ at: Number(time - times[0]!) / 1e9, value, weight: counts[row] ?? 1 }]
      : [];
  });
  const sum = (of: (point: (typeof points)[number]) => number) =>
    points.reduce((total, point) => total + point.weight * of(point), 0);
  const rows = sum(() => 1);
  const at = sum((point) => point.at) / rows;
  const value = sum((point) => point.value) / rows;
  const slope =
    sum((point) => (point.at - at) * (point.value - value)) / sum((point) => (point.at - at) ** 2);
  return Number.isFinite(slope) ? slope : undefined;
}
