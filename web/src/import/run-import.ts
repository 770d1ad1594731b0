import { rowCount } from '../../../src/import/log-batches.ts';
import { surveyText } from '../../../src/import/text/survey-text.ts';
import type { TextSettings } from '../../../src/import/text/text-layout.ts';
import { refreshes } from '../runs/found.ts';
import { client, takeWarning } from '../session.ts';
import { show } from '../state/view.ts';
import { problemText } from '../ui/problem-text.ts';
import { describeStream } from './describe-stream.ts';
import {
  closeImport,
  type Done,
  file,
  importSignal,
  opened,
  progress,
  step,
  target,
} from './import-state.ts';
import type { Opened } from './open-chosen.ts';
import { createPace } from './pace.ts';
import { sendLog, sendText } from './send.ts';

type Service = NonNullable<typeof client.value>;

/** Checks the whole file; writes it if nothing is wrong, or if rows with faults are to be left out; then opens the stream. */
export async function importFile(isPartial: boolean): Promise<void> {
  // What was typed last counts.
  await rereading;
  const [found, service] = [opened.value, client.value];
  if (found === undefined || service === undefined || step.value.at === 'failed') return;
  const signal = importSignal();
  try {
    const done =
      found.kind === 'text'
        ? await importText(found, service, signal, isPartial)
        : await importLog(found, service, signal);
    if (done === undefined) return;
    const { topic, streamId } = place();
    await service.closeStream(topic, streamId);
    // Who has closed the dialog meanwhile looks at something else.
    if (signal.aborted) return;
    step.value = { at: 'done', done };
    refreshes.value++;
    // No plots: the page chooses what says most.
    show({ streams: [{ topic, streamId }], plots: [], range: undefined, mode: 'time', live: false });
  } catch (error) {
    if (!signal.aborted) step.value = { at: 'failed', message: problemText(error) };
  }
}

async function importText(
  found: Extract<Opened, { kind: 'text' }>,
  service: Service,
  signal: AbortSignal,
  isPartial: boolean,
): Promise<Done | undefined> {
  const { bytes, review } = found;
  const { layout } = review;
  const pace = createPace(() => signal.throwIfAborted());
  // Where nothing was changed every row is checked by now.
  const survey =
    layout === review.surveyed
      ? review.survey
      : await surveyText(bytes, layout, progress('checking', bytes.size, signal), { pace });
  if (signal.aborted) return undefined;
  if (survey.rows === 0 || (survey.faults > 0 && !isPartial)) {
    step.value = { at: 'faulty', review: { ...review, survey } };
    return undefined;
  }
  takeWarning();
  const { topic, streamId } = place();
  const channels = layout.columns.filter(({ role }) => role === 'number');
  const start = layout.isStartKnown && layout.start !== 0n ? layout.start : undefined;
  const write = (data: Parameters<Service['writeParameterData']>[2]) =>
    service.writeParameterData(topic, streamId, data);
  const writing = { onBytes: progress('writing', bytes.size, signal), pace };
  const rows = await sendText(bytes, layout, write, signal, writing);
  await describeStream(service, target.value, { metadata: layout.metadata, start, channels });
  const notes: string[] = [];
  if (survey.faults > 0) notes.push(`${count(survey.faults)} with faults left out.`);
  if (survey.repeated > 0)
    notes.push(
      `${count(survey.repeated)} had the time and the tags of the row before and replaced its values.`,
    );
  return { rows, from: survey.from, to: survey.to, notes, warning: takeWarning() };
}

async function importLog(
  { log, without, start }: Extract<Opened, { kind: 'log' }>,
  service: Service,
  signal: AbortSignal,
): Promise<Done> {
  takeWarning();
  const { topic, streamId } = place();
  const write = (data: Parameters<Service['writeParameterData']>[2]) =>
    service.writeParameterData(topic, streamId, data);
  const onRows = progress('writing', rowCount(log), signal);
  onRows(0);
  const pace = createPace(() => signal.throwIfAborted());
  const sent = await sendLog(log, { without, start, pace }, write, signal, onRows);
  const channels = log.tables.flatMap((table) => table.channels).filter(({ name }) => !without.has(name));
  await describeStream(service, { topic, streamId }, { metadata: log.metadata, start, channels });
  return { ...sent, notes: [], warning: takeWarning() };
}

function place() {
  const { topic, streamId } = target.value;
  return { topic: topic.trim(), streamId: streamId.trim() };
}

/** Closes the dialog: behind it stands what was imported. */
export function lookAtImport(): void {
  closeImport();
}

/** `2 rows` */
export function count(number: number, noun = 'row'): string {
  return `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`;
}

/** The file once more, with other settings; one after the other. */
export function reopen(change: TextSettings): void {
  rereading = rereading.then(() => reread(change));
}

let rereading = Promise.resolve();

async function reread(change: TextSettings): Promise<void> {
  const [found, chosen] = [opened.value, file.value];
  if (found?.kind !== 'text' || chosen === undefined) return;
  const signal = importSignal();
  try {
    const { reviewText, withEdits } = await import('./review-text.ts');
    const settings = { ...found.review.settings, ...change };
    const stop = () => signal.throwIfAborted();
    const review = await reviewText(found.bytes, settings, { onBytes: stop, pace: createPace(stop) });
    const now = opened.value;
    if (!signal.aborted && now?.kind === 'text')
      opened.value = { ...found, review: withEdits(review, now.review) };
  } catch (error) {
    if (!signal.aborted) step.value = { at: 'failed', message: problemText(error) };
  }
}
