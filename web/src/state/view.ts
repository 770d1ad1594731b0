import { computed, effect, signal } from '@preact/signals';

import { stable } from './stable.ts';
import { formatView, parseView, type View } from './view-text.ts';

export const view = signal<View>(parseView(location.hash));

/** Parts of the view: what depends on one of them is not disturbed by changes of the others. */
export const streams = stable(() => view.value.streams);
export const plots = stable(() => view.value.plots);
/** Channels that are calculated, and that no topic keeps. */
export const math = stable(() => view.value.math);
export const chosenRange = stable(() => view.value.range);
/** Laps that are laid over each other. */
export const picks = stable(() => view.value.picks);
export const shifts = stable(() => view.value.shifts);
/** The two cursors that stay, ns. */
export const chosenCursors = stable(() => ({ a: view.value.a, b: view.value.b }));
/** The two cursors that stay on the axis of laps. */
export const chosenPlaces = stable(() => ({ a: view.value.placeA, b: view.value.placeB }));
export const mode = computed(() => view.value.mode);
export const panel = computed(() => view.value.panel);
export const isLive = computed(() => view.value.live);
export const bandsTag = computed(() => view.value.bands);
export const search = computed(() => view.value.search);
/** The saved view that is open: its id and the state of it that was read. */
export const saved = stable(() => ({ id: view.value.savedId, tag: view.value.savedTag }));
/** Parameters that are drawn as strips. */
export const states = stable(() => view.value.states);
/** Least and largest values of axes. */
export const scales = stable(() => view.value.scales);
/** Panels beside the plots. */
export const beside = stable(() => view.value.beside);
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
