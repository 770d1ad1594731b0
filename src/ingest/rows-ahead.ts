import { isoOf, nanoseconds } from '../alerts/rows-ahead.ts';
import type { Rows } from '../domain/parameter-data.ts';
import { excerpt } from '../wire/base/name.ts';

/** Rows that are further ahead of the clock than it allows. */
export interface RowsAhead {
  readonly count: number;
  /** The latest of them, ns since the Unix epoch. */
  readonly last: bigint;
}

/** The end of the range of offsets of rows. */
const widest = 2 ** 53;

/**
 * Undefined where there is none. Rows stand in any order, so that each is looked at where one may be ahead.
 * @param limit the last time (ns) that the clock allows
 */
export function rowsAhead(payloads: readonly Rows[], limit: bigint): RowsAhead | undefined {
  let count = 0;
  let last: bigint | undefined;
  for (const { base, offsets, count: rows } of payloads) {
    const cut = Number(limit - base);
    if (cut >= widest) continue;
    let furthest = -1;
    for (let row = 0; row < rows; row++) {
      const offset = offsets[row]!;
      if (offset <= cut) continue;
      count++;
      if (offset > furthest) furthest = offset;
    }
    if (furthest < 0) continue;
    const time = base + BigInt(furthest);
    if (last === undefined || time > last) last = time;
  }
  return last === undefined ? undefined : { count, last };
}

/** @param now milliseconds since the Unix epoch */
export function textOfAhead(streamId: string, { count, last }: RowsAhead, now: number): string {
  const [rows, are] = count === 1 ? ['A row', 'is'] : [`${count} rows`, 'are'];
  const which = count === 1 ? 'it is of' : 'the last is of';
  return (
    `${rows} of the stream ${excerpt(streamId)} ${are} further ahead of the service's clock (${isoOf(nanoseconds(now))}) ` +
    `than --rows-ahead allows: ${which} ${isoOf(last)}. Alert rules and live calculated parameters leave such rows out.`
  );
}
