import { signal } from '@preact/signals';
import { refreshes } from '../find/found.ts';
import { client } from '../session.ts';
import { show, view } from '../state/view.ts';
import { problemText } from '../ui/problem-text.ts';
import { type FileFacts, inspect } from './inspect.ts';
import { guessMapping, type Mapping } from './mapping.ts';
import { send } from './send.ts';
import { type Survey, survey } from './survey.ts';

/** Where the import of a file stands. Shares are of the file, 0 to 1. */
export type Step =
  | { readonly at: 'reading' | 'checking' | 'writing'; readonly share: number }
  | { readonly at: 'mapping' }
  | { readonly at: 'faulty'; readonly survey: Survey }
  | { readonly at: 'done'; readonly survey: Survey; readonly rows: number }
  | { readonly at: 'failed'; readonly message: string };

/** The file that is imported; undefined while none is. */
export const file = signal<File | undefined>(undefined);
export const step = signal<Step>({ at: 'mapping' });
export const facts = signal<FileFacts | undefined>(undefined);
export const mapping = signal<Mapping | undefined>(undefined);

let ending = new AbortController();

/** Reads a file and asks what its columns mean. */
export async function beginImport(chosen: File): Promise<void> {
  closeImport();
  file.value = chosen;
  const { signal } = ending;
  try {
    const found = await inspect(chosen, progress('reading', chosen, signal));
    if (signal.aborted) return;
    facts.value = found;
    mapping.value = guessMapping(
      found,
      chosen.name,
      view.value.streams[0]?.topic ?? (view.value.topic || 'imports'),
    );
    step.value = { at: 'mapping' };
  } catch (error) {
    if (!signal.aborted) step.value = { at: 'failed', message: (error as Error).message };
  }
}

/** Surveys the whole file; writes it if nothing is wrong, or if rows with faults are to be left out. */
export async function importFile(isPartial: boolean): Promise<void> {
  const [chosen, meaning, service] = [file.value, mapping.value, client.value];
  if (chosen === undefined || meaning === undefined || service === undefined) return;
  const { signal } = ending;
  try {
    const found = await survey(chosen, meaning, progress('checking', chosen, signal));
    if (signal.aborted) return;
    if (found.rows === 0 || (found.faults > 0 && !isPartial)) {
      step.value = { at: 'faulty', survey: found };
      return;
    }
    const rows = await send(
      chosen,
      meaning,
      service.writeParameterData,
      signal,
      progress('writing', chosen, signal),
    );
    step.value = { at: 'done', survey: found, rows };
    refreshes.value++;
  } catch (error) {
    if (!signal.aborted) step.value = { at: 'failed', message: problemText(error) };
  }
}

/** Ends the dialog; what is being written stops behind the payload that is on its way. */
export function closeImport(): void {
  ending.abort(new Error('The import was stopped.'));
  ending = new AbortController();
  file.value = undefined;
  facts.value = undefined;
  mapping.value = undefined;
  step.value = { at: 'reading', share: 0 };
}

/** Opens what was imported. */
export function lookAtImport(): void {
  const meaning = mapping.value;
  if (meaning === undefined) return;
  const first = meaning.columns.find(({ role }) => role === 'number')?.name;
  show({
    streams: [{ topic: meaning.topic.trim(), streamId: meaning.streamId.trim() }],
    plots: first === undefined ? [] : [[first]],
    range: undefined,
    mode: 'time',
    live: false,
  });
  closeImport();
}

/** Tells how far it is, and throws when the import was closed. */
function progress(at: 'reading' | 'checking' | 'writing', { size }: File, signal: AbortSignal) {
  return (bytes: number) => {
    signal.throwIfAborted();
    step.value = { at, share: size === 0 ? 1 : bytes / size };
  };
}
