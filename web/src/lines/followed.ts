import { computed, signal } from '@preact/signals';
import type { TimeRange } from '../state/view-text.ts';
import type { TraceLoad } from './traces.ts';

/** What the plots show while they follow live data; undefined while they do not. */
export const followed = signal<TraceLoad | undefined>(undefined);

const isFollowed = computed(() => followed.value !== undefined);

/** What is seen of it now, for who does not go along with each row; undefined before the first one. */
export function followedRange(): TimeRange | undefined {
  return isFollowed.value ? followed.peek()?.range : undefined;
}
