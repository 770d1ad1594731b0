import { PitwallError } from '../../errors.ts';
import type { RefusesStream } from '../series/refused.ts';
import type { SeriesOfStream } from '../series/series-rows.ts';
import type { MessageRow } from './gathered-rows.ts';
import type { MessageRead } from './message-rows.ts';

/** What of a message is to be written. */
type Fitting = Pick<MessageRead, 'rows' | 'streams'>;

/**
 * Leaves out of a message what is of streams for which there is no room, and counts its rows. Throws `too_many_streams`
 * where nothing is left.
 */
export function fittingOf({ rows, streams, refused }: MessageRead, refuses: RefusesStream): Fitting {
  let first: string | undefined;
  const fits = ({ topic, streamId }: Pick<MessageRow, 'topic' | 'streamId'>, count: number): boolean => {
    const full = refuses(topic, streamId);
    if (full === undefined) return true;
    first ??= full;
    refused.add('too_many_streams', count, full);
    return false;
  };
  const fitting = {
    rows: rows.filter((row) => fits(row, 1)),
    streams: streams.filter((one) => fits(one, countOf(one))),
  };
  if (first === undefined || fitting.rows.length + fitting.streams.length > 0) return fitting;
  throw new PitwallError('too_many_streams', { detail: first });
}

function countOf({ rows, ends }: SeriesOfStream): number {
  return rows.reduce((sum, { count }) => sum + count, ends.length);
}
