import { signal } from '@preact/signals';
import type { TraceLoad } from './traces.ts';

/** What the plots show while they follow live data; undefined while they do not. */
export const followed = signal<TraceLoad | undefined>(undefined);
