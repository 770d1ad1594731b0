import { signal } from '@preact/signals';
import type { Status, StreamInfo } from '../../../src/client/client.ts';
import { client } from '../session.ts';
import { search, topic } from '../state/view.ts';
import { loaded } from '../ui/loading.ts';

/** What narrows the list beside the search and the topic, which are part of the view. */
export interface Narrowing {
  readonly status: Status | '';
  readonly location: string;
  /** `key=value`, or a key alone. */
  readonly metadata: string;
  readonly orderBy: 'lastUpdate' | 'name' | 'createdAt' | 'dataEnd';
}

export const narrowing = signal<Narrowing>({ status: '', location: '', metadata: '', orderBy: 'lastUpdate' });
export const page = signal(0);
/** Grows when the list should be read again: data is written while one looks. */
export const refreshes = signal(0);

export const pageLength = 50;

/** A page of the streams that match, and one more, which tells whether there is a next page. */
export const found = loaded<StreamInfo[]>(() => {
  const service = client.value;
  if (service === undefined) return undefined;
  const words = search.value;
  const inTopic = topic.value;
  const { status, location, metadata, orderBy } = narrowing.value;
  const index = page.value;
  refreshes.value;
  const [key = '', ...rest] = metadata.split('=');
  const value = rest.join('=');
  return async (signal) => {
    const pages = await service.streams(
      {
        ...(words !== '' && { search: words }),
        ...(inTopic !== '' && { topic: inTopic }),
        ...(status !== '' && { includeStatuses: [status] }),
        ...(location !== '' && { location }),
        ...(metadata !== '' && { metadata: [{ ...(key && { key }), ...(value && { value }) }] }),
        ordering: [{ by: orderBy, direction: orderBy === 'name' ? 'Asc' : 'Desc' }],
        paging: { index, length: pageLength },
      },
      { signal },
    );
    return pages;
  };
});

const refreshMs = 5000;

/** Reads the list again from time to time while it is seen. */
export function keepFresh(): () => void {
  const timer = setInterval(() => {
    if (document.visibilityState === 'visible') refreshes.value++;
  }, refreshMs);
  return () => clearInterval(timer);
}
