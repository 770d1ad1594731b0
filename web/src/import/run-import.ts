import type { NewParameterData } from '../../../src/client/models.ts';
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
import { checkFree, runsOf } from './runs.ts';
import { ImportStopped, sendLog, sendText } from './send.ts';
import { sendTable } from './send-table.ts';
import { noteUpdates, withRows } from './take-back.ts';
import { existing, look } from './there.ts';

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
    // What is not known is asked about: nothing is taken back unseen.
    await noteUpdates(service, item).catch(() => undefined);
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
    // A lookup that is still on its way would see the stream of this import, and name another.
    item.target.value = { ...item.target.value };
    const found = item.opened.value;
    if (found === undefined || signal.aborted || problemOf(item) !== undefined) return;
    const place = placeOf(item);
    const before = existing(item);
    let old = 0;
    const written = (data: NewParameterData, expired: number, to: Place) => {
      rows += data.timestamps.length - expired;
      old += expired;
      if (before === undefined || to !== place) made.value = withRows(made.value, to, data);
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
    for (const { topic, streamId } of runsOf(item, place).slice(1))
      await service.closeStream(topic, streamId);
    step.value = { at: 'done', done: { ...withoutOld(done, old), warning: takeWarning() } };
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
  /** Is told of which rows were written, how many of them are not kept, and where. */
  readonly written: (data: NewParameterData, expired: number, to: Place) => void;
}

type Outcome = Omit<Done, 'warning'>;

/** @param old rows that are older than the retention of the topic */
function withoutOld(done: Outcome, old: number): Outcome {
  if (old === 0) return done;
  const note = `${count(old)} older than the retention of the topic, not kept.`;
  return { ...done, rows: Math.max(0, done.rows - old), notes: [note, ...done.notes] };
}

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
  const meeting = { times: survey.times, choices: item.choices.value };
  if (problemOf(item) !== undefined) return asked(item);
  const places = runsOf(item, place);
  await checkFree(service, places, item.made.value);
  const sent = await sendText(bytes, layout, meeting, writeTo(service, places, written), signal, {
    onBytes: progress(item, 'writing', bytes.size, signal),
    pace,
  });
  for (const one of places)
    await describeStream(service, one, { metadata: layout.metadata, start, channels });
  return { rows: sent.stored, from: survey.from, to: survey.to, notes: notesOf(item, sent.notes) };
}

async function importLog(
  item: Item,
  { log, without, start, times }: OpenedLog,
  { place, service, signal, written }: Writing,
): Promise<Outcome> {
  const onRows = progress(item, 'writing', rowCount(log), signal);
  onRows(0);
  const pace = createPace(() => signal.throwIfAborted());
  const places = runsOf(item, place);
  await checkFree(service, places, item.made.value);
  const choice = { without, start, pace, times, choices: item.choices.value };
  const { from, to, ...sent } = await sendLog(log, choice, writeTo(service, places, written), signal, onRows);
  const channels = log.tables.flatMap((table) => table.channels).filter(({ name }) => !without.has(name));
  for (const one of places) await describeStream(service, one, { metadata: log.metadata, start, channels });
  return { rows: sent.stored, from, to, notes: notesOf(item, sent.notes) };
}

async function importTable(
  item: Item,
  found: OpenedTable,
  { place, service, signal, written }: Writing,
): Promise<Outcome> {
  const { table, start } = found;
  if (table === undefined) throw new Error(found.fault);
  const { from, to } = spanOf(found) ?? {};
  const places = runsOf(item, place);
  await checkFree(service, places, item.made.value);
  const choice = { start, choices: item.choices.value };
  const sent = await sendTable(table, choice, writeTo(service, places, written), signal, {
    onBytes: progress(item, 'writing', table.rows, signal),
    pace: createPace(() => signal.throwIfAborted()),
  });
  return { rows: sent.stored, from, to, notes: notesOf(item, sent.notes) };
}

/** A question came up when every row was looked at. */
function asked({ step }: Item): undefined {
  step.value = { at: 'ready' };
  return undefined;
}

function writeTo(service: Service, places: readonly Place[], written: Writing['written']) {
  return async (data: NewParameterData, run: number) => {
    const place = places[run]!;
    const expired = await service.writeParameterData(place.topic, place.streamId, data);
    written(data, expired, place);
  };
}
