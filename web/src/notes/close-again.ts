import { effect, signal } from '@preact/signals';
import { RequestError } from '../../../src/client/client.ts';
import { refreshes } from '../runs/found.ts';
import { client, isReachable, isShared, onceClient } from '../session.ts';
import type { StreamRef } from '../state/view-text.ts';
import { problemText } from '../ui/problem-text.ts';
import { endOf, forget, leftOpen, leftOpenOf } from './left-open.ts';
import { runNow, textNow } from './stored-note.ts';

/** A run that stays open, and why. */
export const staysOpen = signal<{ readonly stream: StreamRef; readonly why: string } | undefined>(undefined);

/**
 * Closes a run again that a note has opened, as it was closed before. One that is open by somebody else stays so: it is
 * closed only where nobody has written to it since the note. Throws where the service cannot be asked.
 */
export async function closeAgain(stream: StreamRef): Promise<void> {
  const left = leftOpenOf(stream);
  if (left === undefined) return;
  const service = client.peek()!;
  const info = await runNow(service, stream);
  if (info === undefined || endOf(info.status) !== undefined) return forget(stream);
  const writtenAt = Date.parse(info.lastUpdate);
  const isOurs =
    writtenAt >= left.from && writtenAt <= left.to && (await textNow(service, left.note)) === left.note.text;
  if (isOurs) return closeNow(stream);
  if (left.isTold) staysOpen.value = { stream, why: 'somebody has written to it since your note.' };
  forget(stream);
}

/** Closes a run that a note has just opened. Throws where that failed and may succeed later. */
export async function closeNow(stream: StreamRef): Promise<void> {
  const { endType } = leftOpenOf(stream)!;
  try {
    // Sent once: where the answer is lost, somebody may open the run before it is sent again.
    await onceClient.peek()!.closeStream(stream.topic, stream.streamId, endType);
  } catch (error) {
    if (!isRefused(error)) throw error;
    staysOpen.value = { stream, why: problemText(error) };
  }
  forget(stream);
}

/** Whether the service has refused for good; with another token it may do it. */
export function isRefused(error: unknown): boolean {
  return error instanceof RequestError && error.status < 500 && ![401, 408, 429].includes(error.status);
}

let last: Promise<unknown> = Promise.resolve();

/** Acts when what was begun before has ended: no run is looked at while a note is on its way to it. */
export function inTurn<Value>(act: () => Promise<Value>): Promise<Value> {
  const own = last.then(act);
  last = own.catch(() => undefined);
  return own;
}

/** What could not be closed is tried again with each look at the list of runs, and when the service is back. */
let isTrying = false;
effect(() => {
  refreshes.value;
  const canTry = isReachable.value && client.value !== undefined && !isShared;
  if (!canTry || isTrying || leftOpen.peek().length === 0) return;
  isTrying = true;
  inTurn(async () => {
    for (const { stream } of leftOpen.peek()) await closeAgain(stream);
  })
    // The banner says that there is no service.
    .catch(() => undefined)
    .finally(() => {
      isTrying = false;
    });
});
