import { signal } from '@preact/signals';
import { isShared, isSignedIn } from '../session.ts';
import { spaced } from '../state/spaced.ts';
import { stable } from '../state/stable.ts';
import { ofBrowser, storedTexts } from '../state/stored.ts';
import { view } from '../state/view.ts';
import { formatLastView, type LastView, lastViewOf, parseLastView } from './last-view.ts';

/**
 * What this browser keeps of what one has chosen: the last view of a topic, and favourite channels. It is written only when
 * someone chooses, and signing out takes it away.
 */
const viewStoredAs = 'pitwall.layout.';
const favouritesStoredAs = 'pitwall.favourites';

/** What would be remembered of the view. */
export const lastView = stable(() => lastViewOf(view.value));

const pauseMs = 250;
const views = spaced<{ readonly topic: string; readonly own: LastView }>(pauseMs, ({ topic, own }) => {
  if (isSignedIn()) ofBrowser.put(viewStoredAs + topic.toLowerCase(), formatLastView(own));
});

addEventListener('pagehide', views.end);

export function rememberView(topic: string, own: LastView): void {
  if (!isShared) views.put({ topic, own });
}

/** Undefined where nothing was kept. */
export function rememberedView(topic: string): LastView | undefined {
  views.end();
  const text = ofBrowser.get(viewStoredAs + topic.toLowerCase());
  return text === null ? undefined : parseLastView(text);
}

export const favourites = signal(storedTexts(favouritesStoredAs));

export function toggleFavourite(id: string): void {
  const now = favourites.value;
  favourites.value = now.includes(id) ? now.filter((other) => other !== id) : [...now, id];
  ofBrowser.put(favouritesStoredAs, JSON.stringify(favourites.value));
}
