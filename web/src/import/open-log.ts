import { rowCount } from '../../../src/import/log-batches.ts';
import { type LoggedFile, rowsOf } from '../../../src/import/logged-file.ts';
import { logWatch, messagesMet } from '../../../src/import/same-time/log-rows.ts';
import type { OpenedLog, Span } from './opened.ts';
import type { Reading } from './pace.ts';

/**
 * Opens a logger's file that is read twice: to see what there is, and from when to when it goes.
 * @param open looks through the file, and tells how far it is
 */
export async function openedTwice(
  size: number,
  reading: Reading,
  open: (first: Reading) => Promise<LoggedFile>,
): Promise<OpenedLog> {
  let isFirst = true;
  const half = (before: number) => (read: number) => reading.onBytes(before + read / 2);
  const toHalf = half(0);
  // Of the first time only: readers tell it of each.
  const log = await open({ ...reading, onBytes: (read) => isFirst && toHalf(read) });
  isFirst = false;
  return openedLog(log, size, { ...reading, onBytes: half(size / 2) });
}

/** Reads a logger's file through: what is wrong with its records shows then, and from when to when it goes. */
export async function openedLog(
  log: LoggedFile,
  size: number,
  { onBytes, pace }: Reading,
): Promise<OpenedLog> {
  const rows = rowCount(log);
  let read = 0;
  const watch = logWatch(log);
  let span: Span | undefined;
  for await (const { table, row } of rowsOf(log)) {
    const { time } = row;
    watch.see(table, row);
    if (span === undefined) span = { from: time, to: time };
    else if (time < span.from || time > span.to)
      span = { from: time < span.from ? time : span.from, to: time > span.to ? time : span.to };
    read++;
    const pause = pace();
    if (pause === undefined) continue;
    onBytes((read / rows) * size);
    await pause;
  }
  const times = watch.end();
  const met = await messagesMet(log, times, pace);
  return { kind: 'log', log, without: new Set(), isPartial: false, start: log.start, span, times, met };
}
