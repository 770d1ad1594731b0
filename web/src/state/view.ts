import { computed, effect, signal } from '@preact/signals';
import { changedParts, isSamePicture, pictureOf } from './asides.ts';
import { linkIn } from './link.ts';
import { spaced } from './spaced.ts';
import { stable } from './stable.ts';
import { back, forth, type Gone, noSteps, type Steps, withChange } from './steps.ts';
import { formatView, parseView, type View } from './view-text.ts';

export const view = signal<View>(parseView(location.hash));

/** Parts of the view: what depends on one of them is not disturbed by changes of the others. */
export const streams = stable(() => view.value.streams);
export const plots = stable(() => view.value.plots);
/** Channels that are calculated, and that no topic keeps. */
export const math = stable(() => view.value.math);
export const chosenRange = stable(() => view.value.range);
/** What counts laps, where that was chosen. */
export const lapsBy = stable(() => view.value.lapsBy);
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
/** Where sectors of laps end. */
export const sectors = stable(() => view.value.sectors);
export const beacons = computed(() => view.value.beacons);
/** How channels look, and units for all of a kind, where somebody chose them. */
export const chosenLooks = stable(() => view.value.looks);
export const chosenUnits = stable(() => view.value.units);
export const wantsUnits = computed(
  () =>
    chosenUnits.value.length > 0 || Object.values(chosenLooks.value).some(({ unit }) => unit !== undefined),
);
/** The axes of the map, and its colour, where they were chosen. */
export const chosenMap = stable(() => view.value.map);
/** What values of channels are called. */
export const names = stable(() => view.value.names);
/** Shares of the height that plots have, where somebody chose them. */
export const heights = stable(() => view.value.heights);
/** Axes that are logarithmic. */
export const logs = stable(() => view.value.logs);
/** Panels beside the plots. */
export const beside = stable(() => view.value.beside);
export const topic = computed(() => view.value.topic);

/**
 * How a change goes into the address and into what can be taken back: as a step of its own, of the back button too; as a
 * small one, such as zooming, that goes with others of its kind; or as what the page does by itself, which goes with what
 * was done before.
 */
type Step = 'push' | 'replace' | 'settle';

const steps = signal<Steps<View>>(noSteps);
const before = computed(() => back(steps.value, view.value, isSamePicture));
const after = computed(() => forth(steps.value, view.value, isSamePicture));
/** Whether a change can be taken back, or made again. */
export const canUndo = computed(() => before.value !== undefined);
export const canRedo = computed(() => after.value !== undefined);

/** Changes the view. */
export function show(change: Partial<View>, step: Step = 'push'): void {
  const old = view.value;
  const next = { ...old, ...change };
  if (step !== 'settle') noteStep(old, next, step === 'replace');
  view.value = next;
  if (step === 'replace' && change.range !== undefined) moves.put(next);
  else putAddress(next, step);
}

/** Takes the last change back. */
export function undo(): void {
  go(before.value);
}

/** Makes it again. */
export function redo(): void {
  go(after.value);
}

function go(to: Gone<View> | undefined): void {
  if (to === undefined) return;
  steps.value = to.steps;
  view.value = pictureOf(to.state, view.value);
  putAddress(view.value, 'replace');
}

function noteStep(old: View, next: View, isSmall: boolean): void {
  const of = changedParts(old, next);
  if (of.length > 0) steps.value = withChange(steps.value, old, { of: of.join(), at: Date.now(), isSmall });
}

/** A browser takes longer for an address than to draw a plot, and takes no more than some a second. */
const addressPauseMs = 250;
/** Where a hand zooms or moves. */
const moves = spaced<View>(addressPauseMs, (next) => writeAddress(next, 'replaceState'));

function putAddress(next: View, step: Step): void {
  if (step === 'push') moves.end();
  else moves.drop();
  writeAddress(next, step === 'push' ? 'pushState' : 'replaceState');
}

function writeAddress(next: View, how: 'pushState' | 'replaceState'): void {
  const hash = formatView(next);
  if (hash !== location.hash)
    history[how](history.state, '', `${location.pathname}${location.search}${hash}`);
}

/** Another address: by the back button, or one that was typed. */
function readAddress(): void {
  if (linkIn(location.hash) !== undefined) return;
  moves.drop();
  const next = parseView(location.hash);
  noteStep(view.value, next, false);
  view.value = next;
}

addEventListener('pagehide', moves.end);
addEventListener('popstate', readAddress);
addEventListener('hashchange', readAddress);
effect(() => {
  const [first] = streams.value;
  document.title = first === undefined ? 'Pitwall' : `${first.streamId} · Pitwall`;
});
