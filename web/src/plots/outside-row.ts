import { isCalculated } from '../lines/calculated.ts';
import { isOutside, type Limits } from '../lines/limits.ts';
import { bucketFor, type PointSource } from '../lines/point-load.ts';
import type { RowsWish } from '../lines/rows-wish.ts';

/** Into so many pieces a range is cut: the service says what each has. */
const pieces = 1000;
/** So many rows are looked through; where there are more, the range is cut. */
const pieceRows = 5000;

/** When a channel is first outside of limits, ns; undefined where it is not, and of what is calculated: that would be another value if it began elsewhere. */
export async function firstOutside(
  service: PointSource,
  { rows, range }: RowsWish,
  parameter: string,
  limits: Limits,
): Promise<bigint | undefined> {
  if (isCalculated(parameter)) return undefined;
  const isOut = (low: number | null | undefined, high = low) =>
    typeof low === 'number' && typeof high === 'number' && isOutside(limits, low, high);
  const query = { ...rows, ...range, numericParameters: [{ parameterName: parameter }] };
  const { data, nextCursor } = await service.page({ ...query, limit: pieceRows });
  const found = data.timestamps[data.numericValues[parameter]?.findIndex((value) => isOut(value)) ?? -1];
  const bucket = bucketFor(range, pieces);
  if (found !== undefined || nextCursor === undefined || bucket === 1n) return found;
  const { timestamps, numericValues } = await service.query({
    ...query,
    numericParameters: (['Min', 'Max'] as const).map((aggregationType) => ({
      parameterName: parameter,
      aggregationType,
    })),
    groupByTime: { timeBucketDuration: bucket },
  });
  const [low, high] = [numericValues[`min(${parameter})`], numericValues[`max(${parameter})`]];
  const from = timestamps.find((_, i) => isOut(low?.[i], high?.[i]));
  if (from === undefined) return undefined;
  const to = from + bucket - 1n;
  const piece = { from: from > range.from ? from : range.from, to: to < range.to ? to : range.to };
  return firstOutside(service, { rows, range: piece }, parameter, limits);
}
