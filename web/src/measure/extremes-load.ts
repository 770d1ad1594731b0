import type { Client } from '../../../src/client/client.ts';
import { isCalculated } from '../lines/calculated.ts';
import { bucketFor } from '../lines/point-load.ts';
import type { RowsWish } from '../lines/rows-wish.ts';

/** The least and the largest value of a channel. */
export interface Extremes {
  readonly parameter: string;
  readonly least: number | undefined;
  readonly largest: number | undefined;
}

/** When a channel first had them, ns; undefined where that is not known. */
export interface ExtremeTimes {
  readonly leastAt: bigint | undefined;
  readonly largestAt: bigint | undefined;
}

/** Into so many pieces a range is cut: the service says what each has. */
const pieces = 1000;
/** So many rows of the right piece are looked through; where it has more, it is cut again. */
const pieceRows = 5000;

/** When channels had their least and their largest value, in the order of the channels. Of what is calculated it is not known: it would be another value if it began elsewhere. */
export async function loadExtremeTimes(
  service: Client,
  of: RowsWish,
  channels: readonly Extremes[],
  signal: AbortSignal,
): Promise<ExtremeTimes[]> {
  const written = channels.filter(({ parameter }) => !isCalculated(parameter));
  if (written.length === 0) return channels.map(() => ({ leastAt: undefined, largestAt: undefined }));
  const bucket = bucketFor(of.range, pieces);
  const { timestamps, numericValues } = await service.query(
    {
      ...of.rows,
      ...of.range,
      numericParameters: written.flatMap(({ parameter: parameterName }) =>
        (['Min', 'Max'] as const).map((aggregationType) => ({ parameterName, aggregationType })),
      ),
      groupByTime: { timeBucketDuration: bucket },
    },
    { signal },
  );
  const timeOf = async (own: Extremes, key: 'least' | 'largest'): Promise<bigint | undefined> => {
    const { parameter, [key]: value } = own;
    const column = numericValues[`${key === 'least' ? 'min' : 'max'}(${parameter})`];
    const start = value === undefined ? undefined : timestamps[column?.indexOf(value) ?? -1];
    if (value === undefined || start === undefined) return undefined;
    // A single moment may have more rows than are looked through.
    if (bucket === 1n) return start;
    const { from, to } = of.range;
    const end = start + bucket - 1n;
    const range = { from: start > from ? start : from, to: end < to ? end : to };
    const { data, nextCursor } = await service.page(
      { ...of.rows, ...range, numericParameters: [{ parameterName: parameter }], limit: pieceRows },
      { signal },
    );
    const row = data.numericValues[parameter]?.indexOf(value) ?? -1;
    if (row >= 0 || nextCursor === undefined) return data.timestamps[row];
    const [deeper] = await loadExtremeTimes(service, { rows: of.rows, range }, [own], signal);
    return deeper?.[`${key}At`];
  };
  return Promise.all(
    channels.map(async (own) => {
      const [leastAt, largestAt] = await Promise.all([timeOf(own, 'least'), timeOf(own, 'largest')]);
      return { leastAt, largestAt };
    }),
  );
}
