import type { StreamRef } from '../state/view-text.ts';

/** Topics have no case. */
export function isStream(a: StreamRef, b: StreamRef): boolean {
  return a.streamId === b.streamId && a.topic.toLowerCase() === b.topic.toLowerCase();
}
