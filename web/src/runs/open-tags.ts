import { signal } from '@preact/signals';
import type { TagInfo } from '../../../src/client/client.ts';
import { client } from '../session.ts';
import { streams } from '../state/view.ts';
import { loaded } from '../ui/loading.ts';
import { afterwards } from '../ui/turns.ts';
import { loadTags } from './known-tags.ts';

/** Grows where tags may have come. */
const again = signal(0);

/** The tags that rows of the open runs have. */
export const openTags = loaded<TagInfo[]>(() => {
  const service = client.value;
  const open = streams.value;
  if (service === undefined || open.length === 0) return undefined;
  return afterwards((signal) => loadTags(service, open, signal));
}, again);

export function readTagsAgain(): void {
  again.value = again.peek() + 1;
}
