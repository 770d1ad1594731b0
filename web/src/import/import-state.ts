import { signal } from '@preact/signals';
import { view } from '../state/view.ts';
import type { Opened } from './open-chosen.ts';
import { createPace } from './pace.ts';
import type { TextReview } from './review-text.ts';

/** Where the import of a file stands. Shares are of the file, 0 to 1. */
export type Step =
  | { readonly at: 'reading' | 'checking' | 'writing'; readonly share: number }
  | { readonly at: 'preview' }
  | { readonly at: 'faulty'; readonly review: TextReview }
  | { readonly at: 'done'; readonly done: Done }
  | { readonly at: 'failed'; readonly message: string };

/** What an import came to. */
export interface Done {
  readonly rows: number;
  readonly from: bigint | undefined;
  readonly to: bigint | undefined;
  readonly notes: readonly string[];
  readonly warning: string;
}

/** Where rows go. */
export interface Target {
  readonly topic: string;
  readonly streamId: string;
}

/** The file that is imported; undefined while none is. */
export const file = signal<File | undefined>(undefined);
export const step = signal<Step>({ at: 'reading', share: 0 });
/** What is known of the file; undefined until it is read. */
export const opened = signal<Opened | undefined>(undefined);
export const target = signal<Target>({ topic: '', streamId: '' });

let ending = new AbortController();

/** Of the import that is on its way. */
export function importSignal(): AbortSignal {
  return ending.signal;
}

/** Reads files and asks what is in them: one file, and perhaps the .ldx file of a MoTeC log. */
export async function beginImport(given: readonly File[]): Promise<void> {
  const beside = given.find(({ name }) => /\.ldx$/i.test(name));
  const chosen = given.find((one) => one !== beside) ?? beside;
  if (chosen === undefined) return;
  closeImport();
  file.value = chosen;
  target.value = {
    topic: view.value.streams[0]?.topic ?? (view.value.topic || 'imports'),
    streamId: chosen.name.replace(/\.[^.]*$/, '').trim() || 'imported',
  };
  const { signal } = ending;
  try {
    const { openChosen } = await import('./open-chosen.ts');
    const reading = {
      onBytes: progress('reading', chosen.size, signal),
      pace: createPace(() => signal.throwIfAborted()),
    };
    const found = await openChosen(chosen, beside, {}, reading);
    if (signal.aborted) return;
    opened.value = found;
    step.value = { at: 'preview' };
  } catch (error) {
    if (!signal.aborted) step.value = { at: 'failed', message: (error as Error).message };
  }
}

/** Ends the dialog; what is being written stops behind the payload that is on its way. */
export function closeImport(): void {
  ending.abort(new Error('The import was stopped.'));
  ending = new AbortController();
  file.value = undefined;
  opened.value = undefined;
  step.value = { at: 'reading', share: 0 };
}

/** Tells how far it is, and throws when the import was closed. */
export function progress(at: 'reading' | 'checking' | 'writing', whole: number, signal: AbortSignal) {
  return (part: number) => {
    signal.throwIfAborted();
    step.value = { at, share: whole === 0 ? 1 : Math.min(1, part / whole) };
  };
}
