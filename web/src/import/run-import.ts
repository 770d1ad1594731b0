import { rowCount } from '../../../src/import/log-batches.ts';
import { surveyText } from '../../../src/import/text/survey-text.ts';
import { refreshes } from '../runs/found.ts';
import { client, takeWarning } from '../session.ts';
import { problemText } from '../ui/problem-text.ts';
import { count } from './count.ts';
import { describeStream } from './describe-stream.ts';
import { type Done, type Item, type Place, placeOf, progress } from './item.ts';
import { notesOf } from './notes.ts';
import { type OpenedLog, type OpenedTable, type OpenedText, spanOf } from './opened.ts';
import { createPace } from './pace.ts';
import { problemOf } from './problem.ts';
import { beginWriting, endWriting, phase, queue, readyItems } from './queue.ts';
import { ImportStopped, sendLog, sendText } from './send.ts';
import { sendTable } from './send-table.ts';
import { existing, isMade, look } from './there.ts';

type Service = NonNullable<typeof client.value>;

/** Imports all files that wait for nothing, one after the other. One that fails does not stop the others. */
export function importReady(): Promise<void> {
  return importItems(readyItems.value, false);
}

/**
 * Imports files: checks each as a whole, and writes it if nothing is wrong with it.
 * @param isPartial whether rows with faults are left out
 */
export async function importItems(items: readonly Item[], isPartial: boolean): Promise<void> {
  const service = client.value;
  if (service === undefined || phase.value === 'writing') return;
  const signal = beginWriting();
  for (const item of items) {
    if (signal.aborted) break;
    await importItem(item, service, signal, isPartial);
  }
  // Something may want an answer that was not asked for before: a stream that came into being meanwhile.
  const isAsked = items.some((item) => item.step.value.at === 'ready' && problemOf(item) !== undefined);
  endWriting(isAsked && !signal.aborted ? 'asking' : 'ended');
  refreshes.value++;
}

async function importItem(
  item: Item,
  service: Service,
  signal: AbortSignal,
  isPartial: boolean,
): Promise<void> {
  const { step, made } = item;
  let rows = 0;
  try {
    // What was typed last counts.
    await item.rereading;
    await look(service, item, queue.value);
    const found = item.opened.value;
    if (found === undefined || signal.aborted || problemOf(item) !== undefined) return;
    const place = placeOf(item);
    const before = existing(item);
    const written = (more: number) => {
      rows += more;
      if (before === undefined && !isMade(item, place)) made.value = [...made.value, place];
    };
    takeWarning();
    const writing = { place, service, signal, isPartial, written };
    const done =
      found.kind === 'text'
        ? await importText(item, found, writing)
        : found.kind === 'log'
          ? await importLog(item, found, writing)
          : await importTable(item, found, writing);
    if (done === undefined) return;
    // A stream that others write to stays open.
    if (before?.status !== 'Open') await service.closeStream(place.topic, place.streamId);
    step.value = { at: 'done', done: { ...done, warning: takeWarning() } };
  } catch (error) {
    // Nothing was begun where one stops between two files.
    if (signal.aborted && step.value.at === 'ready') return;
    const far = rows === 0 ? 'Nothing was written.' : `${count(rows)} are in.`;
    const how = error instanceof ImportStopped ? '' : ` ${far}`;
    step.value = { at: 'failed', message: `${problemText(error)}${how}` };
  }
}

interface Writing {
  readonly place: Place;
  readonly service: Service;
  readonly signal: AbortSignal;
  readonly isPartial: boolean;
  /** Is told how many rows are in. */
  readonly written: (rows: number) => void;
}

type Outcome = Omit<Done, 'warning'>;

async function importText(
  item: Item,
  found: OpenedText,
  { place, service, signal, isPartial, written }: Writing,
): Promise<Outcome | undefined> {
  const { bytes, review } = found;
  const { layout } = review;
  const pace = createPace(() => signal.throwIfAborted());
  // Where nothing was changed every row is checked by now.
  const survey =
    layout === review.surveyed
      ? review.survey
      : await surveyText(bytes, layout, progress(item, 'checking', bytes.size, signal), { pace });
  item.opened.value = { ...found, review: { ...review, survey, surveyed: layout } };
  if (survey.rows === 0 || (survey.faults > 0 && !isPartial)) {
    item.step.value = { at: 'faulty' };
    return undefined;
  }
  const channels = layout.columns.filter(({ role }) => role === 'number');
  const start = layout.isStartKnown && layout.start !== 0n ? layout.start : undefined;
  const sent = await sendText(bytes, layout, writeTo(service, place, written), signal, {
    onBytes: progress(item, 'writing', bytes.size, signal),
    pace,
  });
  await describeStream(service, place, { metadata: layout.metadata, start, channels });
  return { rows: sent, from: survey.from, to: survey.to, notes: notesOf(item) };
}

async function importLog(
  item: Item,
  { log, without, start }: OpenedLog,
  { place, service, signal, written }: Writing,
): Promise<Outcome> {
  const onRows = progress(item, 'writing', rowCount(log), signal);
  onRows(0);
  const pace = createPace(() => signal.throwIfAborted());
  const sent = await sendLog(log, { without, start, pace }, writeTo(service, place, written), signal, onRows);
  const channels = log.tables.flatMap((table) => table.channels).filter(({ name }) => !without.has(name));
  await describeStream(service, place, { metadata: log.metadata, start, channels });
  return { ...sent, notes: notesOf(item) };
}

async function importTable(
  item: Item,
  found: OpenedTable,
  { place, service, signal, written }: Writing,
): Promise<Outcome> {
  const { table, start } = found;
  if (table === undefined) throw new Error(found.fault);
  const { from, to } = spanOf(found) ?? {};
  const rows = await sendTable(table, start, writeTo(service, place, written), signal, {
    onBytes: progress(item, 'writing', table.rows, signal),
    pace: createPace(() => signal.throwIfAborted()),
  });
  return { rows, from, to, notes: notesOf(item) };
}

function writeTo(service: Service, { topic, streamId }: Place, written: Writing['written']) {
  return async (data: Parameters<Service['writeParameterData']>[2]) => {
    await service.writeParameterData(topic, streamId, data);
    written(data.timestamps.length);
  };
}
