import { computed, effect, signal } from '@preact/signals';
import { refreshes } from '../runs/found.ts';
import { loadTags } from '../runs/known-tags.ts';
import { mayGrow } from '../runs/open-streams.ts';
import { client } from '../session.ts';
import { streams, view } from '../state/view.ts';
import { loaded } from '../ui/loading.ts';
import { afterwards } from '../ui/turns.ts';
import { lapTagOf } from './lap-names.ts';

/** Grows while no tag counts laps: one may come now. */
const again = signal(0);

const found = loaded<string>(() => {
  const service = client.value;
  const open = streams.value;
  if (service === undefined || open.length === 0) return undefined;
  return afterwards(async (signal) => lapTagOf(await loadTags(service, open, signal)));
}, again);
effect(() => {
  refreshes.value;
  if (found.peek().value === '' && mayGrow.peek()) again.value = again.peek() + 1;
});

const chosen = computed(() => view.value.overlayTag);

/** The tag whose values are laps: the one that was chosen, or one that seems to count laps; empty where none does. */
export const lapTag = computed(() => (chosen.value === '' ? (found.value.value ?? '') : chosen.value));
/** Whether it is known. */
export const isLapTagKnown = computed(() => chosen.value !== '' || found.value.value !== undefined);
/** Whether it is looked for, for the first time in these runs. */
export const isLapTagComing = computed(() => !isLapTagKnown.value && found.value.busy);
