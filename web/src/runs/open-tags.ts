import { computed, signal } from '@preact/signals';
import type { TagInfo } from '../../../src/client/client.ts';
import { client } from '../session.ts';
import { streams } from '../state/view.ts';
import type { StreamRef } from '../state/view-text.ts';
import { type Loaded, loaded } from '../ui/loading.ts';
import { afterwards } from '../ui/turns.ts';
import { loadTags } from './known-tags.ts';

/** Grows where tags may have come. */
const again = signal(0);

const load = loaded<{ readonly open: readonly StreamRef[]; readonly found: TagInfo[] }>(() => {
  const service = client.value;
  const open = streams.value;
  if (service === undefined || open.length === 0) return undefined;
  return afterwards(async (signal) => ({ open, found: await loadTags(service, open, signal) }));
}, again);

/** The tags that rows of the open runs have. */
export const openTags = computed<Loaded<TagInfo[]>>(() => ({
  ...load.value,
  value: load.value.value?.found,
}));

/** The same, but of runs that were open before only where those of these could not be read. */
export const tagsOfOpen = computed(() => {
  const { value, error } = load.value;
  return value?.open === streams.value || error !== undefined ? value?.found : undefined;
});

export function readTagsAgain(): void {
  again.value = again.peek() + 1;
}
