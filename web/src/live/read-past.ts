import type { Client } from '../../../src/client/client.ts';
import type { ParameterData } from '../../../src/client/models.ts';
import type { TraceNames } from '../lines/traces.ts';
import type { StreamRef } from '../state/view-text.ts';
import type { LiveEnd } from './live-end.ts';
import type { Rolling } from './rolling.ts';

/** The most rows of a stream that are read to begin with. */
const pastRows = 50_000;
/** What was missed is read in pages of so many rows. */
const pageRows = 20_000;

/** How far a read goes. */
interface Reach {
  readonly end: LiveEnd;
  readonly span: bigint;
  /** Nothing is missing until then; undefined where all is. */
  readonly wholeUntil: bigint | undefined;
}

/** Reads what is not there yet: the last `span` nanoseconds to begin with, afterwards all since nothing was missing. */
export async function readPast(
  service: Client,
  stream: StreamRef,
  { numbers, texts }: TraceNames,
  rows: Rolling,
  { end, span, wholeUntil }: Reach,
  signal: AbortSignal,
): Promise<void> {
  const { topic, streamId } = stream;
  const [info] = await service.streams({ topic, streamIds: [streamId] }, { signal });
  if (info?.dataEnd === undefined) return;
  const to = end.lastRead(wholeUntil === undefined);
  const begin = (to ?? info.dataEnd) - span;
  // Rows that came meanwhile may have told of another end.
  const add = (data: ParameterData) => {
    const last = end.lastRead(wholeUntil === undefined);
    end.read(data.timestamps.filter((time) => last === undefined || time <= last));
    rows.add(stream, data, last);
  };
  const until = to === undefined ? {} : { to };
  const query = {
    topic,
    streamIds: [streamId],
    numericParameters: numbers.map((parameterName) => ({ parameterName })),
    stringParameters: texts.map((parameterName) => ({ parameterName })),
  };
  if (wholeUntil === undefined) {
    const options = { from: begin, ...until, order: 'Desc' as const, limit: pastRows };
    const { data } = await service.page({ ...query, ...options }, { signal });
    add(data);
    return;
  }
  const from = wholeUntil > begin ? wholeUntil : begin;
  for await (const data of service.pages({ ...query, from, ...until }, pageRows, { signal })) add(data);
}
