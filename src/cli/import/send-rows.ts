import { TooManyRows } from '../../import/same-time/met-rows.ts';
import { restartProblem, storedNotes } from '../../import/same-time/notes.ts';
import { streamOfRun } from '../../import/same-time/place-runs.ts';
import { RowStore, type SameTimeChoices, type StoredRows } from '../../import/same-time/stored-rows.ts';
import type { Client } from '../client.ts';
import { CommandError } from '../command.ts';
import { nothing } from '../expected-answer.ts';
import { createProgress } from '../progress.ts';
import { createPayload, type Payload } from './import-payload.ts';
import { type ImportTable, wordsOf } from './import-table.ts';
import { isRefused, type WhatIsIn } from './what-is-in.ts';

/** Rows and text of one request: large enough to make the round trip cheap, well below the service's limits. */
const batchRows = 2000;
const batchCharacters = 4_000_000;

export interface Destination {
  /** Undefined where each row says so itself. */
  readonly topic: string | undefined;
  readonly stream: string | undefined;
}

/** What came of the rows of a file, and what is to be known of it. */
export interface SentRows extends StoredRows {
  /** Those that were older than the retention of their topic. */
  readonly expired: number;
  readonly notes: readonly string[];
}

/** Throws a CommandError where the times of a table begin anew, and nobody has said what is meant. */
export function checkRestarts(path: string, table: ImportTable, choices: SameTimeChoices): void {
  const problem = restartProblem(wordsOf(table), choices);
  if (problem !== undefined) throw new CommandError(`${path}: ${problem}`);
}

const uses: readonly string[] = ['numeric', 'string', 'binary'];

function storeOf({ columns, times }: ImportTable, choices: SameTimeChoices): RowStore {
  const channels = columns.flatMap(({ use }, i) => (uses.includes(use) ? [i] : []));
  const names = channels.map((i) => columns[i]!.name);
  return new RowStore(times, [{ form: { channels, isJson: true }, names }], choices);
}

/**
 * Sends all rows of a table, in its order; gives what came of them. Throws a CommandError that says how many are in, also
 * where someone ends the command early.
 */
export async function sendRows(
  client: Client,
  table: ImportTable,
  destination: Destination,
  choices: SameTimeChoices,
  isIn: WhatIsIn,
): Promise<SentRows> {
  const { columns, rows } = table;
  const topicAt = columns.findIndex(({ use }) => use === 'topic');
  const streamAt = columns.findIndex(({ use }) => use === 'stream');
  const timeAt = columns.findIndex(({ use }) => use === 'timestamp');
  const store = storeOf(table, choices);
  const canMeet = store.canMeet();
  const progress = createProgress(process.stderr);
  let batch = new Map<string, Map<string, Payload>>();
  let waiting = 0;
  let characters = 0;
  let read = 0;
  /** The first row that waits. */
  let first = 0;

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
      isIn.rows += count;
      if (isIn.rows < rows) isIn.stop();
    }
    batch = new Map();
    waiting = 0;
    characters = 0;
    progress.at(rows === 0 ? 1 : isIn.rows / rows, `${isIn.rows} of ${rows} rows`);
  };

  try {
    for await (const given of table.read()) {
      read++;
      let cells = given;
      let run = 0;
      if (canMeet) {
        const stored = store.place(BigInt(given[timeAt]!), table.line?.() ?? read, given, given);
        if (stored === undefined) continue;
        run = stored.run;
        const time = String(stored.time);
        if (time !== given[timeAt]) cells = given.with(timeAt, time);
      } else if (!store.count(given)) continue;
      const topic = destination.topic ?? (JSON.parse(cells[topicAt]!) as string);
      const stream = destination.stream ?? (JSON.parse(cells[streamAt]!) as string);
      const payload = payloadOf(topic, streamOfRun(stream, run));
      const before = payload.size();
      payload.add(cells);
      if (waiting === 0) first = read;
      waiting++;
      characters += payload.size() - before;
      if (waiting >= batchRows || characters >= batchCharacters) await send();
    }
    if (waiting > 0) await send();
  } catch (thrown) {
    const error = thrown instanceof TooManyRows ? new CommandError(thrown.message) : thrown;
    if (!(error instanceof CommandError)) throw error;
    const where = isRefused(error) && waiting > 0 ? `, among the rows ${first} to ${read}` : '';
    throw isIn.told(error, rows, where);
  } finally {
    progress.end();
  }
  const stored = store.result();
  return { ...stored, expired: client.expiredRows(), notes: storedNotes(stored, wordsOf(table), choices) };
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
