import { signal } from '@preact/signals';
import type { EndType, Status } from '../../../src/client/client.ts';
import type { Note } from '../plots/note.ts';
import { isStream } from '../state/same-stream.ts';
import { serviceTimes } from '../state/service-clock.ts';
import { ofTab } from '../state/stored.ts';
import type { StreamRef } from '../state/view-text.ts';

/**
 * A closed run that a note has opened, or may have, and that is not closed again yet. The tab keeps it, also when it is
 * loaded anew.
 */
export interface LeftOpen {
  readonly stream: StreamRef;
  readonly endType: EndType;
  /** What was written. */
  readonly note: Pick<Note, 'stream' | 'time' | 'tags' | 'text'>;
  /** Between these times of the service's clock, ms since the Unix epoch, it was written, if it was. */
  readonly from: number;
  readonly to: number;
  /** Whether it was written, and closing failed: one is told. */
  readonly isTold: boolean;
}

const storedAs = 'pitwall.left-open';
/** Where the page is gone before it knows better, a note was written so soon after it was sent, ms. */
const soon = 2000;

export const leftOpen = signal<readonly LeftOpen[]>(stored());

export function leftOpenOf(stream: StreamRef): LeftOpen | undefined {
  return leftOpen.peek().find((left) => isStream(left.stream, stream));
}

/** A note is about to be written into a run that was closed so. */
export function begin(note: LeftOpen['note'], endType: EndType): void {
  const { least, most } = serviceTimes();
  const left = { stream: note.stream, endType, note, from: least, to: most + soon, isTold: false };
  keep([...others(note.stream), left]);
}

/** It was written by now, if it was. */
export function wasSent(stream: StreamRef): void {
  change(stream, { to: serviceTimes().most });
}

/** It was written, and closing the run has failed. */
export function closingFailed(stream: StreamRef): void {
  change(stream, { isTold: true });
}

/** There is nothing to close any more. */
export function forget(stream: StreamRef): void {
  keep(others(stream));
}

export function endOf(status: Status): EndType | undefined {
  return status === 'Closed' || status === 'Aborted' || status === 'Terminated' ? status : undefined;
}

function change(stream: StreamRef, known: Partial<LeftOpen>): void {
  const left = leftOpenOf(stream);
  if (left !== undefined) keep([...others(stream), { ...left, ...known }]);
}

function others(stream: StreamRef): LeftOpen[] {
  return leftOpen.peek().filter((left) => !isStream(left.stream, stream));
}

function keep(all: readonly LeftOpen[]): void {
  leftOpen.value = all;
  if (all.length === 0) ofTab.remove(storedAs);
  else
    ofTab.put(
      storedAs,
      JSON.stringify(all.map((left) => ({ ...left, note: { ...left.note, time: String(left.note.time) } }))),
    );
}

function stored(): LeftOpen[] {
  const all = JSON.parse(ofTab.get(storedAs) ?? '[]') as LeftOpen[];
  return all.map((left) => ({ ...left, note: { ...left.note, time: BigInt(left.note.time) } }));
}
