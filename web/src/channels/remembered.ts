import { signal } from '@preact/signals';
import { isShared } from '../session.ts';
import type { Plots } from './arrange.ts';

/**
 * What this browser keeps of what one has chosen: plots of a topic, and favourite channels. It is written only when someone
 * chooses, and signing out takes it away.
 */
const plotsStoredAs = 'pitwall.plots.';
const favouritesStoredAs = 'pitwall.favourites';

export function rememberPlots(topic: string, plots: Plots): void {
  if (isShared) return;
  localStorage.setItem(plotsStoredAs + topic.toLowerCase(), JSON.stringify(plots));
}

/** None where nothing was kept, or something else. */
export function rememberedPlots(topic: string): Plots {
  const kept = parsed(localStorage.getItem(plotsStoredAs + topic.toLowerCase()));
  return Array.isArray(kept) ? kept.filter(isNames) : [];
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
