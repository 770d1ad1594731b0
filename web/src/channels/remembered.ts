import { signal } from '@preact/signals';
import { isShared } from '../session.ts';
import { stable } from '../state/stable.ts';
import { view } from '../state/view.ts';
import { emptyView, formatView, parseView, type View } from '../state/view-text.ts';

/** How runs of a topic are looked at, whichever they are, and whenever. */
export type Layout = Pick<
  View,
  | 'plots'
  | 'math'
  | 'heights'
  | 'scales'
  | 'states'
  | 'beside'
  | 'xy'
  | 'histogram'
  | 'spectrum'
  | 'map'
  | 'bands'
  | 'panel'
>;

/**
 * What this browser keeps of what one has chosen: the layout of a topic, and favourite channels. It is written only when
 * someone chooses, and signing out takes it away.
 */
const layoutStoredAs = 'pitwall.layout.';
const favouritesStoredAs = 'pitwall.favourites';

/** That of the view. */
export const layout = stable(() => layoutOf(view.value));

function layoutOf(shown: View): Layout {
  const { plots, math, heights, scales, states, beside } = shown;
  const { xy, histogram, spectrum, map, bands, panel } = shown;
  return { plots, math, heights, scales, states, beside, xy, histogram, spectrum, map, bands, panel };
}

export function rememberLayout(topic: string, own: Layout): void {
  if (isShared) return;
  localStorage.setItem(layoutStoredAs + topic.toLowerCase(), formatView({ ...emptyView, ...own }));
}

/** Undefined where nothing was kept. */
export function rememberedLayout(topic: string): Layout | undefined {
  const text = localStorage.getItem(layoutStoredAs + topic.toLowerCase());
  return text === null ? undefined : layoutOf(parseView(text));
}

const kept = parsed(localStorage.getItem(favouritesStoredAs));
export const favourites = signal<readonly string[]>(isNames(kept) ? kept : []);

export function toggleFavourite(id: string): void {
  const now = favourites.value;
  favourites.value = now.includes(id) ? now.filter((other) => other !== id) : [...now, id];
  localStorage.setItem(favouritesStoredAs, JSON.stringify(favourites.value));
}

function isNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((name) => typeof name === 'string');
}

function parsed(text: string | null): unknown {
  try {
    return text === null ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
