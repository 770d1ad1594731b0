import type { StreamFilter } from '../../../src/client/client.ts';

/** So many of those that were written last are looked at. */
const candidates = 10;

/** The runs among which the newest is looked for, of one topic or of all. */
export function newestFilter(topic: string): StreamFilter {
  return {
    ...(topic !== '' && { topic }),
    ordering: [{ by: 'lastUpdate', direction: 'Desc' }],
    paging: { index: 0, length: candidates },
  };
}
