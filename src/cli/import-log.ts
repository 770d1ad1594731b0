import { basename } from 'node:path';
import { encodeParameterData } from '../client/parameter-data.ts';
import { encodeJson } from '../client/transport.ts';
import type { FileKind } from '../import/file-kinds.ts';
import { logBatches, rowCount } from '../import/log-batches.ts';
import type { LoggedFile } from '../import/logged-file.ts';
import type { Client } from './client.ts';
import { CommandError, interruption } from './command.ts';
import { describeStream, type StreamPlace } from './describe-stream.ts';
import { nothing } from './expected-answer.ts';
import { type LogOptions, namedFault, openLog } from './open-log.ts';
import { createProgress } from './progress.ts';

/** Imports a logger's file; gives the line that says what is in. Throws a CommandError. */
export async function importLog(
  client: Client,
  path: string,
  kind: FileKind,
  place: StreamPlace,
  start: bigint | undefined,
  options: LogOptions,
): Promise<string> {
  const { log, close } = await openLog(path, kind, options);
  try {
    checkFaults(path, log);
    const channels = log.tables.flatMap((table) => table.channels);
    const began = start ?? log.start;
    const recorded = log.isStartKnown === false ? start : began;
    await describeStream(client, place, { metadata: log.metadata, start: recorded, channels });
    const rows = await sendLog(client, path, log, place, began - log.start);
    const left = log.leftOut.length > 0 ? `; left out, not being read: ${log.leftOut.join(', ')}` : '';
    const tags = log.tags.length > 0 ? `; tags ${log.tags.join(', ')}` : '';
    const notes = (log.notes ?? []).map((note) => `; ${note}`).join('');
    return `${rows} rows of ${basename(path)} are in topic ${place.topic}, stream ${place.stream}: ${channels.length} channels${tags}${notes}${left}`;
  } finally {
    await close();
  }
}

function checkFaults(path: string, { faults = [] }: LoggedFile): void {
  if (faults.length === 0) return;
  throw new CommandError(`${path}: ${faults.join('; ')}; --skip TOPIC leaves a topic out`);
}

async function sendLog(
  client: Client,
  path: string,
  log: LoggedFile,
  { topic, stream }: StreamPlace,
  shift: bigint,
): Promise<number> {
  const rows = rowCount(log);
  const progress = createProgress(process.stderr);
  const ending = interruption();
  const address = `/topics/${encodeURIComponent(topic)}/streams/${encodeURIComponent(stream)}/parameters/data`;
  let sent = 0;
  try {
    for await (const { rowsRead, ...data } of logBatches(log, undefined, shift)) {
      await client.call('POST', address, encodeJson(encodeParameterData(data)), nothing);
      sent += data.timestamps.length;
      if (ending.aborted && rowsRead < rows) throw new CommandError('interrupted');
      progress.at(rows === 0 ? 1 : rowsRead / rows, `${rowsRead} of ${rows} rows`);
    }
    return sent;
  } catch (error) {
    const fault = namedFault(path, error);
    if (!(fault instanceof CommandError) || sent === 0) throw fault;
    throw new CommandError(
      `${fault.message} (${sent} of ${rows} rows are in; running it again goes on without harm)`,
    );
  } finally {
    progress.end();
  }
}
