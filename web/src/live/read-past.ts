import type { Client } from '../../../src/client/client.ts';
import type { TraceNames } from '../lines/traces.ts';
import type { StreamRef } from '../state/view-text.ts';
import type { Rolling } from './rolling.ts';

/** The most rows of a stream that are read to begin with. */
const pastRows = 50_000;
/** What was missed is read in pages of so many rows. */
const pageRows = 20_000;

/** Reads what is not there yet: the last `span` nanoseconds to begin with, afterwards all since nothing was missing. */
export async function readPast(
  service: Client,
  stream: StreamRef,
  { numbers, texts }: TraceNames,
  rows: Rolling,
  span: bigint,
  wholeUntil: bigint | undefined,
  signal: AbortSignal,
): Promise<void> {
  const { topic, streamId } = stream;
  const [info] = await service.streams({ topic, streamIds: [streamId] }, { signal });
  if (info?.dataEnd === undefined) return;
  const begin = info.dataEnd - span;
  const query = {
    topic,
    streamIds: [streamId],
    numericParameters: numbers.map((parameterName) => ({ parameterName })),
    stringParameters: texts.map((parameterName) => ({ parameterName })),
  };
  if (wholeUntil === undefined) {
    const options = { from: begin, order: 'Desc' as const, limit: pastRows };
    const { data } = await service.page({ ...query, ...options }, { signal });
    rows.add(stream, data);
    return;
  }
  const missed = service.pages({ ...query, from: wholeUntil > begin ? wholeUntil : begin }, pageRows, {
    signal,
  });
  for await (const data of missed) rows.add(stream, data);
}
