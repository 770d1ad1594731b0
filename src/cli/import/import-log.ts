import { basename } from 'node:path';
import { encodeJson } from '../../client/encode-json.ts';
import { encodeParameterData } from '../../client/parameter-data.ts';
import type { FileKind } from '../../import/file-ends.ts';
import { logBatches, rowCount } from '../../import/log-batches.ts';
import type { LoggedFile } from '../../import/logged-file.ts';
import {
  type LogStore,
  logStore,
  messagesMet,
  watchLog,
  wordsOfLog,
} from '../../import/same-time/log-rows.ts';
import { TooManyRows } from '../../import/same-time/met-rows.ts';
import { restartProblem, sameTimeProblem, storedNotes } from '../../import/same-time/notes.ts';
import { streamCount, streamOfRun } from '../../import/same-time/place-runs.ts';
import type { SameTimeChoices } from '../../import/same-time/stored-rows.ts';
import type { SeenTimes } from '../../import/same-time/watch-times.ts';
import { momentText } from '../../import/tables/cell-text.ts';
import { nsOfDay } from '../../import/text/dates.ts';
import type { Client } from '../client.ts';
import { CommandError } from '../command.ts';
import { nothing } from '../expected-answer.ts';
import { createProgress } from '../progress.ts';
import { describeStream, type StreamPlace } from './describe-stream.ts';
import { importedText, placeText } from './import-table.ts';
import { type LogOptions, namedFault, openLog } from './open-log.ts';
import { runsThere } from './runs-there.ts';
import { WhatIsIn } from './what-is-in.ts';

/** A log of a data logger, and where its rows go. */
interface LogImport {
  readonly path: string;
  readonly kind: FileKind;
  readonly place: StreamPlace;
  /** Nanoseconds; undefined where the file tells. */
  readonly start: bigint | undefined;
}

/** Imports a logger's file; gives the line that says what is in. Throws a CommandError. */
export async function importLog(
  client: Client,
  { path, kind, place, start }: LogImport,
  options: LogOptions,
  choices: SameTimeChoices,
): Promise<string> {
  const { log, close } = await openLog(path, kind, options);
  try {
    checkFaults(path, log);
    if (log.timeKind === 'clock') checkDay(path, start);
    const seen = await checkTimes(path, log, choices);
    const channels = log.tables.flatMap((table) => table.channels);
    const began = start ?? log.start;
    const recorded = log.isStartKnown === false ? start : began;
    const runs = streamCount(seen, choices.restarts);
    const there = await runsThere(client, place, runs);
    const store = logStore(log, seen, () => true, choices);
    const isIn = new WhatIsIn(client);
    await isIn.during(rowCount(log), async () => {
      for (let run = 0; run < runs; run++) {
        const one = { ...place, stream: streamOfRun(place.stream, run) };
        await describeStream(client, one, { metadata: log.metadata, start: recorded, channels }, isIn);
      }
      await sendLog(client, path, log, { ...place, store, shift: began - log.start, isIn });
    });
    const stored = store.store.result();
    const notes = [
      `${channels.length} channels`,
      ...(log.tags.length > 0 ? [`tags ${log.tags.join(', ')}`] : []),
      ...storedNotes(stored, wordsOfLog(log, seen, true), choices),
      ...there,
      ...(log.notes ?? []),
      ...movedText(log, began),
      ...(log.leftOut.length > 0 ? [`left out, not being read: ${log.leftOut.join(', ')}`] : []),
    ];
    const imported = { ...stored, expired: client.expiredRows() };
    return importedText(basename(path), imported, placeText(place), notes);
  } finally {
    await close();
  }
}

/** What --start does to times of a file that says itself when it starts. */
function movedText({ start, isStartKnown, timeKind }: LoggedFile, began: bigint): string[] {
  if (isStartKnown === false || timeKind === 'clock' || began === start) return [];
  return [`moved by --start, from ${momentText(start)} to ${momentText(began)}`];
}

/** Clocks in UTC without a date count from a midnight. */
function checkDay(path: string, start: bigint | undefined): void {
  const example = '--start 2021-05-08T00:00:00Z';
  if (start === undefined)
    throw new CommandError(`${path}: its clocks have no date; --start says the day, such as ${example}`);
  if (start % nsOfDay !== 0n)
    throw new CommandError(`${path}: its clocks are UTC, so --start is a midnight, such as ${example}`);
}

function checkFaults(path: string, { faults = [] }: LoggedFile): void {
  if (faults.length === 0) return;
  throw new CommandError(`${path}: ${faults.join('; ')}; --skip TOPIC leaves a topic out`);
}

/** Reads a file through: its records may be compressed, and nothing is sent of one with a fault. Throws a CommandError. */
async function checkTimes(path: string, log: LoggedFile, choices: SameTimeChoices): Promise<SeenTimes> {
  try {
    const seen = await watchLog(log);
    const words = wordsOfLog(log, seen, true);
    const met = choices.sameTime === undefined ? await messagesMet(log, seen) : undefined;
    const problem = restartProblem(words, choices) ?? (met && sameTimeProblem(met, words));
    if (problem !== undefined) throw new CommandError(`${path}: ${problem}`);
    return seen;
  } catch (error) {
    throw namedFault(path, error);
  }
}

interface Sending extends StreamPlace {
  readonly store: LogStore;
  readonly shift: bigint;
  readonly isIn: WhatIsIn;
}

async function sendLog(
  client: Client,
  path: string,
  log: LoggedFile,
  { topic, stream, store, shift, isIn }: Sending,
): Promise<void> {
  const rows = rowCount(log);
  const progress = createProgress(process.stderr);
  const addressOf = (run: number): string =>
    `/topics/${encodeURIComponent(topic)}/streams/${encodeURIComponent(streamOfRun(stream, run))}/parameters/data`;
  try {
    for await (const { rowsRead, run, ...data } of logBatches(log, { store, shift })) {
      await client.call('POST', addressOf(run), encodeJson(encodeParameterData(data)), nothing);
      isIn.rows += data.timestamps.length;
      if (rowsRead < rows) isIn.stop();
      progress.at(rows === 0 ? 1 : rowsRead / rows, `${rowsRead} of ${rows} rows`);
    }
  } catch (error) {
    throw error instanceof TooManyRows ? new CommandError(error.message) : namedFault(path, error);
  } finally {
    progress.end();
  }
}
