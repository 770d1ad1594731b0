import type { Client } from './client.ts';
import { CommandError, interruption } from './command.ts';
import { nothing } from './expected-answer.ts';
import { createPayload, type Payload } from './import-payload.ts';
import type { ImportTable } from './import-table.ts';
import { createProgress } from './progress.ts';

/** Rows and text of one request: large enough to make the round trip cheap, well below the service's limits. */
const batchRows = 2000;
const batchCharacters = 4_000_000;

export interface Destination {
  /** Undefined where each row says so itself. */
  readonly topic: string | undefined;
  readonly stream: string | undefined;
}

/**
 * Sends all rows of a table, in its order; gives how many. Throws a CommandError that says how many are in, also where
 * someone ends the command early.
 */
export async function sendRows(
  client: Client,
  table: ImportTable,
  destination: Destination,
): Promise<number> {
  const { columns, rows } = table;
  const topicAt = columns.findIndex(({ use }) => use === 'topic');
  const streamAt = columns.findIndex(({ use }) => use === 'stream');
  const progress = createProgress(process.stderr);
  const ending = interruption();
  let batch = new Map<string, Map<string, Payload>>();
  let waiting = 0;
  let characters = 0;
  let read = 0;
  let sent = 0;

  const payloadOf = (topic: string, stream: string): Payload => {
    const streams = batch.get(topic) ?? new Map<string, Payload>();
    batch.set(topic, streams);
    const payload = streams.get(stream) ?? createPayload(columns);
    streams.set(stream, payload);
    return payload;
  };
  const send = async (): Promise<void> => {
    for (const [topic, streams] of batch) {
      const count = [...streams.values()].reduce((sum, payload) => sum + payload.rows(), 0);
      await sendTopic(client, topic, streams);
      sent += count;
      if (ending.aborted && sent < rows) throw new CommandError('interrupted');
    }
    batch = new Map();
    waiting = 0;
    characters = 0;
    progress.at(rows === 0 ? 1 : sent / rows, `${sent} of ${rows} rows`);
  };

  try {
    for await (const cells of table.read()) {
      const topic = destination.topic ?? (JSON.parse(cells[topicAt]!) as string);
      const stream = destination.stream ?? (JSON.parse(cells[streamAt]!) as string);
      const payload = payloadOf(topic, stream);
      const before = payload.size();
      payload.add(cells);
      waiting++;
      read++;
      characters += payload.size() - before;
      if (waiting >= batchRows || characters >= batchCharacters) await send();
    }
    if (waiting > 0) await send();
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    // The file is good, but for limits of the service, which it alone knows.
    const isRefused = error.message.startsWith('400 ');
    const where = isRefused && waiting > 0 ? `, among the rows ${read - waiting + 1} to ${read}` : '';
    if (sent === 0) throw new CommandError(`${error.message}${where}`, error.code);
    const advice = isRefused ? '' : '; running it again goes on without harm';
    throw new CommandError(`${error.message}${where} (${sent} of ${rows} rows are in${advice})`);
  } finally {
    progress.end();
  }
  return sent;
}

async function sendTopic(
  client: Client,
  topic: string,
  streams: ReadonlyMap<string, Payload>,
): Promise<void> {
  const address = `/topics/${encodeURIComponent(topic)}`;
  const [[stream, payload] = []] = streams;
  if (streams.size === 1 && stream !== undefined && payload !== undefined) {
    await client.call(
      'POST',
      `${address}/streams/${encodeURIComponent(stream)}/parameters/data`,
      `{${payload.take()}}`,
      nothing,
    );
    return;
  }
  const entries = Array.from(streams, ([id, one]) => `{"streamId":${JSON.stringify(id)},${one.take()}}`);
  await client.call('POST', `${address}/parameters/data`, `[${entries.join(',')}]`, nothing);
}
