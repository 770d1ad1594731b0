import { computed, effect } from '@preact/signals';
import { refreshes } from '../runs/found.ts';
import { mayGrow } from '../runs/open-streams.ts';
import { openTags, readTagsAgain } from '../runs/open-tags.ts';
import { view } from '../state/view.ts';
import { lapTagOf } from './lap-names.ts';

const found = computed(() => openTags.value.value && lapTagOf(openTags.value.value));
// While no tag counts laps, one may come now.
effect(() => {
  refreshes.value;
  if (found.peek() === '' && mayGrow.peek()) readTagsAgain();
});

const chosen = computed(() => view.value.overlayTag);

/** The tag whose values are laps: the one that was chosen, or one that seems to count laps; empty where none does. */
export const lapTag = computed(() => (chosen.value === '' ? (found.value ?? '') : chosen.value));
/** Whether it is known. */
export const isLapTagKnown = computed(() => chosen.value !== '' || found.value !== undefined);
/** Whether it is looked for, for the first time in these runs. */
export const isLapTagComing = computed(() => !isLapTagKnown.value && openTags.value.busy);
