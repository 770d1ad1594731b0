import { computed, signal } from '@preact/signals';
import { kindOfFile } from '../../../src/import/file-kinds.ts';
import type { MessageTime } from '../../../src/import/mcap/message-time.ts';
import type { TextSettings } from '../../../src/import/text/text-layout.ts';
import { client } from '../session.ts';
import { problemText } from '../ui/problem-text.ts';
import { chosenOf } from './chosen.ts';
import { type Item, newItem, progress } from './item.ts';
import { bytesOf, openChosen } from './open-chosen.ts';
import { closeDialog } from './open-dialog.ts';
import { channelsOf, metadataOf, type Opened, type TableSettings } from './opened.ts';
import { createPace, type Reading } from './pace.ts';
import { problemOf } from './problem.ts';
import { proposeTopic } from './propose-topic.ts';
import { reviewText, withEdits } from './review-text.ts';
import { startOf } from './start.ts';
import { answerStart } from './start-answer.ts';
import { look } from './there.ts';

/** The files that are imported, in the order in which they were given. */
export const queue = signal<readonly Item[]>([]);
/** The one that is looked at. */
export const selected = signal<Item | undefined>(undefined);
/** Whether one says what they mean, they are written, or the end is told. */
export const phase = signal<'asking' | 'writing' | 'ended'>('asking');

/** Those that are read and wait for nothing. */
export const readyItems = computed(() =>
  queue.value.filter((item) => item.step.value.at === 'ready' && problemOf(item) === undefined),
);

/** Of the writing that is on its way. */
let writing = new AbortController();

/** Puts files into the queue and reads them, one after the other. */
export function addFiles(files: readonly File[]): void {
  const items = chosenOf(files).map(newItem);
  if (items.length === 0) return;
  queue.value = [...queue.value, ...items];
  if (phase.value === 'ended' || selected.value === undefined) selected.value = items[0];
  if (phase.value === 'ended') phase.value = 'asking';
  readWaiting();
}

/** Takes a file out. */
export function removeItem(item: Item): void {
  item.ending.abort(new Error('The file was taken out.'));
  queue.value = queue.value.filter((one) => one !== item);
  if (selected.value === item) selected.value = queue.value[0];
}

/** Ends all and closes the dialog: what is being written stops behind the request that is on its way. */
export function closeQueue(): void {
  closeDialog();
  stopWriting();
  for (const { ending } of queue.value) ending.abort(new Error('The import was closed.'));
  queue.value = [];
  selected.value = undefined;
  phase.value = 'asking';
}

/** Begins the writing; gives what ends it. */
export function beginWriting(): AbortSignal {
  writing = new AbortController();
  phase.value = 'writing';
  return writing.signal;
}

/** The dialog may be closed by now. */
export function endWriting(next: 'asking' | 'ended'): void {
  if (phase.value === 'writing') phase.value = next;
}

export function stopWriting(): void {
  writing.abort(new Error('The import was stopped.'));
}

let isReading = false;

async function readWaiting(): Promise<void> {
  if (isReading) return;
  isReading = true;
  for (;;) {
    const next = queue.value.find(({ step }) => step.value.at === 'waiting');
    if (next === undefined) break;
    await readItem(next);
  }
  isReading = false;
}

/** Reads a file that failed once more. */
export function readAgain({ step }: Item): void {
  step.value = { at: 'waiting' };
  readWaiting();
}

async function readItem(item: Item): Promise<void> {
  const { chosen, ending, opened, step, target, topicReason } = item;
  const { signal } = ending;
  try {
    const onBytes = progress(item, 'reading', chosen.file.size, signal);
    onBytes(0);
    const found = await openChosen(chosen, {}, { onBytes, pace: createPace(() => signal.throwIfAborted()) });
    const service = client.value;
    if (service !== undefined && !target.value.isNamed) {
      const channels = channelsOf(found).map(({ name }) => name);
      const kind = kindOfFile(chosen.file.name) ?? 'text';
      const proposed = await proposeTopic(service, { kind, channels, metadata: metadataOf(found) }, signal);
      target.value = { ...target.value, topic: proposed.topic };
      topicReason.value = proposed.reason;
    }
    if (service !== undefined) await look(service, item, queue.value);
    if (signal.aborted) return;
    opened.value = found;
    step.value = { at: 'ready' };
  } catch (error) {
    if (!signal.aborted) step.value = { at: 'failed', message: problemText(error) };
  }
}

/** A text file once more, with other settings. */
export function reopen(item: Item, change: TextSettings): void {
  anew(item, async (found, reading) => {
    if (found.kind !== 'text') return undefined;
    const review = await reviewText(found.bytes, { ...found.review.settings, ...change }, reading);
    const now = item.opened.value;
    return now?.kind === 'text' ? { ...found, review: withEdits(review, now.review) } : undefined;
  });
}

/** A table once more, with other settings. */
export function reopenTable(item: Item, change: Partial<TableSettings>): void {
  anew(item, async (found, reading) => {
    if (found.kind !== 'table') return undefined;
    const { openRows } = await import('./open-table-file.ts');
    return openRows(found.bytes, found.name, { ...found.settings, ...change }, reading);
  });
}

/** An MCAP file once more, with other times of its messages. */
export function reopenMessages(item: Item, time: MessageTime): void {
  anew(item, async (_found, reading) => {
    const { openMessages } = await import('./open-mcap-file.ts');
    return openMessages(bytesOf(item.chosen.file), time, reading);
  });
}

type Reread = (found: Opened, reading: Reading) => Promise<Opened | undefined>;

/** One after the other. */
function anew(item: Item, read: Reread): void {
  item.rereading = item.rereading.then(() => reread(item, read));
}

async function reread(item: Item, read: Reread): Promise<void> {
  const { opened, ending, step } = item;
  const found = opened.value;
  if (found === undefined) return;
  const { signal } = ending;
  const stop = () => signal.throwIfAborted();
  try {
    const changed = await read(found, { onBytes: stop, pace: createPace(stop) });
    if (signal.aborted || changed === undefined) return;
    // Of a text its settings have it.
    const typed = changed.kind === 'text' ? undefined : startOf(opened.value ?? found);
    opened.value = changed;
    if (item.startAnswer.value !== undefined) answerStart(item, item.startAnswer.value, typed);
  } catch (error) {
    if (!signal.aborted) step.value = { at: 'failed', message: problemText(error) };
  }
}
