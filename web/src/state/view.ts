import { computed, effect, signal } from '@preact/signals';

import { stable } from './stable.ts';
import { formatView, parseView, type View } from './view-text.ts';

export const view = signal<View>(parseView(location.hash));

/** Parts of the view: what depends on one of them is not disturbed by changes of the others. */
export const streams = stable(() => view.value.streams);
export const plots = stable(() => view.value.plots);
export const chosenRange = stable(() => view.value.range);
export const mode = computed(() => view.value.mode);
export const isLive = computed(() => view.value.live);
export const bandsTag = computed(() => view.value.bands);
export const search = computed(() => view.value.search);
export const topic = computed(() => view.value.topic);

/** Changes the view. Small steps, such as zooming, replace the address; others are steps of the back button. */
export function show(change: Partial<View>, step: 'push' | 'replace' = 'push'): void {
  const next = { ...view.value, ...change };
  view.value = next;
  const hash = formatView(next);
  if (hash === location.hash) return;
  history[step === 'push' ? 'pushState' : 'replaceState'](
    null,
    '',
    `${location.pathname}${location.search}${hash}`,
  );
}

addEventListener('popstate', () => {
  view.value = parseView(location.hash);
});
addEventListener('hashchange', () => {
  view.value = parseView(location.hash);
});
effect(() => {
  const [first] = view.value.streams;
  document.title = first === undefined ? 'Pitwall' : `${first.streamId} · Pitwall`;
});
