import { computed } from '@preact/signals';
import { client } from '../session.ts';
import { stable } from '../state/stable.ts';
import { streams, view } from '../state/view.ts';
import { loaded } from '../ui/loading.ts';

const tag = computed(() => view.value.overlayTag);
const values = stable(() => view.value.overlayValues);
const alignBy = computed(() => view.value.alignBy);

/** What is laid over each other. */
export const overlay = computed(() => ({ tag: tag.value, values: values.value, alignBy: alignBy.value }));

/** Of an XY plot: across, up, colour. */
export const axes = stable(() => view.value.xy);

/** What the tag can be, numbers in the order of numbers. */
export const tagValues = loaded<string[]>(() => {
  const service = client.value;
  const open = streams.value;
  const name = tag.value;
  if (service === undefined || open.length === 0 || name === '') return undefined;
  return async (signal) => {
    const found = await service.tagValues(
      name,
      { streamIds: open.map(({ streamId }) => streamId) },
      { signal },
    );
    return found.sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  };
});
