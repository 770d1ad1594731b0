import { isShared, isSignedIn } from '../session.ts';
import { spaced } from '../state/spaced.ts';
import { stable } from '../state/stable.ts';
import { ofBrowser } from '../state/stored.ts';
import { storedList } from '../state/stored-list.ts';
import { view } from '../state/view.ts';
import { formatLastView, joinedView, type LastView, lastViewOf, parseLastView } from './last-view.ts';

/**
 * What this browser keeps of what one has chosen: the last view of a topic, and favourite channels. It is written only when
 * someone chooses, and signing out takes it away.
 */
const viewStoredAs = 'pitwall.layout.';

/** What would be remembered of the view. */
export const lastView = stable(() => lastViewOf(view.value));

/** A topic as it was opened, or written last, in this tab: what was shown, and what was kept. */
let known: { readonly topic: string; readonly shown: LastView; readonly kept: string | null } | undefined;

/** Notes what nobody has changed yet. */
export function openView(topic: string, shown: LastView): void {
  known = { topic, shown, kept: keptText(topic) };
}

const pauseMs = 250;
const views = spaced<{ readonly topic: string; readonly own: LastView }>(pauseMs, ({ topic, own }) => {
  if (!isSignedIn()) return;
  const text = formatLastView(withOthers(topic, own));
  ofBrowser.put(viewStoredAs + topic.toLowerCase(), text);
  known = { topic, shown: own, kept: text };
});

/** With what another tab has chosen for the topic meanwhile. */
function withOthers(topic: string, own: LastView): LastView {
  const now = keptText(topic);
  if (now === null || known?.topic !== topic || known.kept === now) return own;
  return joinedView(own, known.shown, parseLastView(now), parseLastView(known.kept ?? ''));
}

addEventListener('pagehide', views.end);

export function rememberView(topic: string, own: LastView): void {
  if (!isShared) views.put({ topic, own });
}

function keptText(topic: string): string | null {
  return ofBrowser.get(viewStoredAs + topic.toLowerCase());
}

/** Undefined where nothing was kept. */
export function rememberedView(topic: string): LastView | undefined {
  views.end();
  const text = keptText(topic);
  return text === null ? undefined : parseLastView(text);
}

const mostFavourites = 1000;
export const { texts: favourites, turn: toggleFavourite } = storedList('pitwall.favourites', mostFavourites);
