import { signal } from '@preact/signals';
import type { Status, StreamInfo } from '../../../src/client/client.ts';
import { client } from '../session.ts';
import { search, topic } from '../state/view.ts';
import { loaded } from '../ui/loading.ts';
import { soon } from '../ui/turns.ts';

/** What narrows the list beside the search and the topic, which are part of the view. */
export interface Narrowing {
  readonly status: Status | '';
  readonly location: string;
  /** `key=value`, or a key alone. */
  readonly metadata: string;
  readonly orderBy: 'lastUpdate' | 'name' | 'createdAt' | 'dataEnd';
}

export const narrowing = signal<Narrowing>({ status: '', location: '', metadata: '', orderBy: 'lastUpdate' });
/** Grows when the list should be read again: data is written while one looks. */
export const refreshes = signal(0);

/** What the list is grouped by: nothing, the day of the last data, or a key of the metadata with `=` before it. */
export const grouping = signal('');

/** So many streams are read to begin with, and at most when one scrolls on. */
const firstLength = 100;
const mostLength = 10_000;
/** How many are read. */
const length = signal(firstLength);

/** The streams that match, as many as one has scrolled to. */
export const found = loaded<StreamInfo[]>(() => {
  const service = client.value;
  if (service === undefined) return undefined;
  const words = search.value;
  const inTopic = topic.value;
  const { status, location, metadata, orderBy } = narrowing.value;
  // A group is whole only where all streams are known.
  const most = grouping.value.startsWith('=') ? mostLength : length.value;
  refreshes.value;
  const [key = '', ...rest] = metadata.split('=');
  const value = rest.join('=');
  return soon((signal) =>
    service.streams(
      {
        ...(words !== '' && { search: words }),
        ...(inTopic !== '' && { topic: inTopic }),
        ...(status !== '' && { includeStatuses: [status] }),
        ...(location !== '' && { location }),
        ...(metadata !== '' && { metadata: [{ ...(key && { key }), ...(value && { value }) }] }),
        ordering: [{ by: orderBy, direction: orderBy === 'name' ? 'Asc' : 'Desc' }],
        paging: { index: 0, length: most },
      },
      { signal },
    ),
  );
});

/** Reads more, where there may be more: ten times as many. */
export function readOn(): void {
  const { value, busy } = found.peek();
  if (!busy && value?.length === length.peek() && length.peek() < mostLength) length.value *= 10;
}

const refreshMs = 5000;
/** A long list is read again more seldom. */
const longRefreshMs = 30_000;

/** Reads the list again from time to time while it is seen. */
export function keepFresh(): () => void {
  let readAt = Date.now();
  const timer = setInterval(() => {
    const isLong = (found.peek().value?.length ?? 0) > firstLength;
    if (document.visibilityState !== 'visible' || (isLong && Date.now() - readAt < longRefreshMs)) return;
    readAt = Date.now();
    refreshes.value++;
  }, refreshMs);
  return () => clearInterval(timer);
}
