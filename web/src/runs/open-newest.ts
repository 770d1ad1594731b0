import { effect, signal } from '@preact/signals';
import type { StreamInfo } from '../../../src/client/client.ts';
import { client } from '../session.ts';
import { show, streams, view } from '../state/view.ts';
import { found } from './found.ts';
import { newestFilter } from './newest-filter.ts';

/** A run that has just begun says little: one before it is opened, if there is any. */
const leastSpan = 30_000_000_000n;

/** Whether it is on its way to the newest run. */
export const isFinding = signal(false);

/** Opens the newest run that has something to show where the address names none: the page opens drawn. */
export function openNewest(): void {
  let isDone = false;
  effect(() => {
    const service = client.value;
    if (service === undefined || isDone) return;
    isDone = true;
    if (streams.peek().length > 0 || view.peek().savedId !== '') return;
    const { topic } = view.peek();
    isFinding.value = true;
    service
      .streams(newestFilter(topic))
      .then(
        (runs) => {
          const newest = newestOf(runs);
          if (newest === undefined) openFirst();
          else open(newest);
        },
        // The list of runs says what is wrong.
        () => undefined,
      )
      .finally(() => {
        isFinding.value = false;
      });
  });
}

/** Opens the first run that has data as soon as the list shows it. */
function openFirst(): void {
  const end = effect(() => {
    const newest = newestOf(found.value.value ?? []);
    if (newest === undefined) return;
    open(newest);
    queueMicrotask(() => end());
  });
}

function open({ topic, streamId }: StreamInfo): void {
  if (streams.peek().length === 0) show({ streams: [{ topic, streamId }] }, 'settle');
}

/** Streams are those that were written last, the newest first. */
export function newestOf(streams: readonly StreamInfo[]): StreamInfo | undefined {
  const withData = streams.filter(({ dataStart }) => dataStart !== undefined);
  return withData.find(({ dataStart, dataEnd }) => dataEnd! - dataStart! >= leastSpan) ?? withData[0];
}
