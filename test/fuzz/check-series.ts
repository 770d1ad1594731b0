import { inspect } from 'node:util';
import type { SeriesRead } from '../../src/wire/series/series-read.ts';
import { plainRows } from '../wire/payloads.ts';

/** Throws where what was read of a body has not as many values as it says, more than `most` of them, or times that are none. */
export function checkSeries({ streams, values }: SeriesRead, most: number): void {
  let found = 0;
  for (const { rows, ends } of streams) {
    found += ends.length;
    for (const { count, columns, offsets } of rows) {
      found += count * columns.length;
      if (offsets.some((offset) => !(offset >= 0 && offset < 2 ** 53)))
        throw new Error('a time is no offset');
    }
  }
  if (found !== values) throw new Error(`says ${values} values and has ${found}`);
  if (values > most) throw new Error(`${values} values, of ${most} at most`);
}

/** All that was read, so that it can be compared. */
export function textOfSeries({ streams }: SeriesRead): string {
  return streams
    .flatMap(({ topic, streamId, rows, ends }) => [
      `${topic}/${streamId}`,
      ...plainRows(rows).map(({ time, tags, values }) => `${time} ${tags} ${inspect(values)}`),
      ...ends.map(({ id, timestamp, tags }) => `${id} ${timestamp} ${tags.key}`),
    ])
    .join('\n');
}
