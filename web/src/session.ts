import { computed, signal } from '@preact/signals';
import { type Client, createClient, type Retry } from '../../src/client/client.ts';
import { takeEarly, tokenStoredAs } from './state/early-answers.ts';
import { linkIn } from './state/link.ts';
import { observeClock } from './state/service-clock.ts';
import { ofBrowser, ofTab } from './state/stored.ts';
import { askForToken, listen, tellSignedOut } from './state/tabs.ts';

/** Why the page went back to signing in; read once by the page that is loaded then. */
const reasonStoredAs = 'pitwall.signed-out';

/** That the token is one of a link that somebody shared. */
const sharedStoredAs = 'pitwall.shared';
/** The token that the tab was signed in with when it opened such a link. */
const ownStoredAs = 'pitwall.own-token';

/** Whether the tab keeps the token when it is loaded anew. */
export const isTokenKept = ofTab.put('pitwall.kept', '1');
ofTab.remove('pitwall.kept');

takeFromAddress();
/** What the history of the tab has instead: the token of a link, or why the page went back to signing in. */
const { link = '', reason = '' } = (history.state ?? {}) as {
  readonly link?: string;
  readonly reason?: string;
};
if (link !== '' && ofTab.get(tokenStoredAs) === null) {
  ofTab.put(tokenStoredAs, link);
  ofTab.put(sharedStoredAs, '1');
}
export const token = signal(ofTab.get(tokenStoredAs) ?? '');

/** Whether a link was shared with who looks: one view and its runs, to read. */
export const isShared = token.value !== '' && ofTab.get(sharedStoredAs) !== null;
/** Whether the tab goes back to a token of one's own when it leaves the shared link. */
export const hasOwnToken = isShared && ofTab.get(ownStoredAs) !== null;

export const signedOutBecause = ofTab.get(reasonStoredAs) ?? reason;
ofTab.remove(reasonStoredAs);
if (reason !== '') history.replaceState(null, '');

listen({
  // What was forgotten is not handed on while the page is loaded anew.
  own: () => (ofTab.get(sharedStoredAs) === null ? (ofTab.get(tokenStoredAs) ?? '') : ''),
  onToken: (given) => {
    if (token.peek() === '') signIn(given);
  },
  onSignedOut: () => {
    if (isShared) ofTab.remove(ownStoredAs);
    else if (token.peek() !== '') forgetAll();
  },
});
// A token that the service does not know any more is not asked for again.
if (token.peek() === '' && signedOutBecause === '') askForToken();

/** False from a request that got no answer until one that gets any. */
export const isReachable = signal(true);

/** What the service took for a mistake in a request that it carried out; the page says each once. */
export const warning = signal('');
const saidWarnings = new Set<string>();
let lastWarning = '';

/** The last warning, said before or not; the page does not say it any more. */
export function takeWarning(): string {
  const text = lastWarning;
  lastWarning = '';
  warning.value = '';
  return text;
}

/** The service that the page came from. */
export const serviceUrl = new URL('.', location.href).href.replace(/\/$/, '');

export const client = computed<Client | undefined>(() =>
  token.value === '' ? undefined : clientWith(sayWarning),
);
/** The same for requests that are sent once: when they have failed, one looks before one sends them again. */
export const onceClient = computed<Client | undefined>(() =>
  token.value === '' ? undefined : clientWith(sayWarning, { attempts: 1 }),
);

/** A client of its own for who wants its warnings apart. */
export function clientWith(onWarning: (text: string) => void, retry: Partial<Retry> = {}): Client {
  return createClient({ url: serviceUrl, token: () => token.value, fetch: watchedFetch, onWarning, retry });
}

function sayWarning(text: string): void {
  if (saidWarnings.has(text)) lastWarning = text;
  else tell(text);
  saidWarnings.add(text);
}

/** Says below the plots what could not be done, until one has read it. */
export function tell(text: string): void {
  lastWarning = text;
  warning.value = text;
}

/** The token of a shared link does not stay in the address. */
function takeFromAddress(): void {
  const given = linkIn(location.hash);
  if (given === undefined) return;
  const own = ofTab.get(tokenStoredAs);
  if (own !== null && ofTab.get(sharedStoredAs) === null) ofTab.put(ownStoredAs, own);
  ofTab.put(tokenStoredAs, given.token);
  ofTab.put(sharedStoredAs, '1');
  const rest = `${location.pathname}${location.search}#view=${encodeURIComponent(given.view)}`;
  history.replaceState(isTokenKept ? null : { link: given.token }, '', rest);
}

// A link that is put into the address of an open page: it stays there until the page is loaded anew.
addEventListener('hashchange', () => {
  if (linkIn(location.hash) !== undefined) location.reload();
});

export function signIn(given: string): void {
  ofTab.put(tokenStoredAs, given);
  token.value = given;
}

let isForgotten = false;

/** Whether one has signed out, here or in another tab, and the page is on its way. */
export function isSigningOut(): boolean {
  return isForgotten;
}

/** False as soon as one has signed out, while the page is still there. */
export function isSignedIn(): boolean {
  return ofTab.get(tokenStoredAs) !== null;
}

/** Goes back from a shared link to what one was signed in with before, or to signing in. What one has kept stays. */
export function leaveShared(): void {
  forgetToken();
  history.replaceState(null, '', location.pathname);
  location.reload();
}

/** The token that is used, and after that of a shared link one's own comes back. */
function forgetToken(): void {
  const own = ofTab.get(ownStoredAs);
  ofTab.remove(tokenStoredAs);
  ofTab.remove(sharedStoredAs);
  ofTab.remove(ownStoredAs);
  history.replaceState(null, '');
  if (own !== null) ofTab.put(tokenStoredAs, own);
}

/** The page is loaded anew, so that nothing of one person is left for the next, be it in memory or in the address, or in other tabs. */
export function signOut(): void {
  tellSignedOut();
  forgetAll();
}

function forgetAll(): void {
  isForgotten = true;
  for (const shelf of [ofTab, ofBrowser])
    for (const name of shelf.names()) if (name.startsWith('pitwall.')) shelf.remove(name);
  history.replaceState(null, '', location.pathname);
  location.reload();
}

/** The address stays: who signs in again sees the same. */
function tokenWasRefused(): void {
  // Requests of before may be refused while the page is loaded anew: the token that came back is not theirs.
  if (token.value === '' || ofTab.get(tokenStoredAs) !== token.value) return;
  const reason = isShared
    ? 'This link has ended. Ask for another one, or sign in with a token.'
    : 'The service does not know your token any more. Sign in with another.';
  forgetToken();
  if (!hasOwnToken && !ofTab.put(reasonStoredAs, reason)) history.replaceState({ reason }, '');
  location.reload();
}

async function watchedFetch(...args: Parameters<typeof fetch>): Promise<Response> {
  try {
    const [url, { headers, body } = {}] = args;
    const early = takeEarly(String(url), new Headers(headers).get('authorization') ?? '', body);
    const sentAt = early?.sentAt ?? Date.now();
    const response = await (early?.answer ?? fetch(...args));
    observeClock(response.headers.get('date'), sentAt, Date.now());
    isReachable.value = true;
    if (response.status === 401) tokenWasRefused();
    return response;
  } catch (error) {
    if (error instanceof TypeError) isReachable.value = false;
    throw error;
  }
}
