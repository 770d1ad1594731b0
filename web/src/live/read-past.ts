import type { Client } from '../../../src/client/client.ts';
import type { TraceNames } from '../lines/traces.ts';
import type { StreamRef } from '../state/view-text.ts';
import { lastBelieved } from './live-end.ts';
import type { Rolling } from './rolling.ts';

/** The most rows of a stream that are read to begin with. */
const pastRows = 50_000;
/** What was missed is read in pages of so many rows. */
const pageRows = 20_000;

/** What of the past is read. */
interface Wanted {
  /** So much before the end, ns. */
  readonly span: bigint;
  /** When nothing was missing, if that was ever so. */
  readonly wholeUntil: bigint | undefined;
  /** Where rows come now, if that is not where the newest one is. */
  readonly end: bigint | undefined;
}

/** Reads what is not there yet: the last `span` nanoseconds to begin with, afterwards all since nothing was missing. */
export async function readPast(
  service: Client,
  stream: StreamRef,
  { numbers, texts }: TraceNames,
  rows: Rolling,
  { span, wholeUntil, end }: Wanted,
  signal: AbortSignal,
): Promise<void> {
  const { topic, streamId } = stream;
  const [info] = await service.streams({ topic, streamIds: [streamId] }, { signal });
  if (info?.dataEnd === undefined) return;
  const query = {
    topic,
    streamIds: [streamId],
    numericParameters: numbers.map((parameterName) => ({ parameterName })),
    stringParameters: texts.map((parameterName) => ({ parameterName })),
  };
  const until = end ?? lastBelieved();
  const [last] =
    info.dataEnd <= until
      ? [info.dataEnd]
      : (await service.page({ ...query, to: until, order: 'Desc', limit: 1 }, { signal })).data.timestamps;
  // Where all rows are ahead of the clock, they are what is seen.
  const to = last === undefined ? info.dataEnd : until;
  const begin = (last ?? info.dataEnd) - span;
  if (wholeUntil === undefined) {
    const options = { from: begin, to, order: 'Desc' as const, limit: pastRows };
    const { data } = await service.page({ ...query, ...options }, { signal });
    rows.add(stream, data);
    return;
  }
  const missed = service.pages({ ...query, from: wholeUntil > begin ? wholeUntil : begin, to }, pageRows, {
    signal,
  });
  for await (const data of missed) rows.add(stream, data);
}
