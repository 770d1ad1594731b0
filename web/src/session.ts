import { computed, signal } from '@preact/signals';
import { type Client, createClient } from '../../src/client/client.ts';

/**
 * Who uses the page: a token, kept for as long as the browser's tab, and in no address. `?` in the address of the hub's
 * WebSocket is the one place where browsers leave no other way.
 */
const storedAs = 'pitwall.token';
/** Why the page went back to signing in; read once by the page that is loaded then. */
const reasonStoredAs = 'pitwall.signed-out';

export const token = signal(sessionStorage.getItem(storedAs) ?? '');

export const signedOutBecause = sessionStorage.getItem(reasonStoredAs) ?? '';
sessionStorage.removeItem(reasonStoredAs);

/** False from a request that got no answer until one that gets any. */
export const isReachable = signal(true);

/** The service that the page came from. */
export const serviceUrl = new URL('.', location.href).href.replace(/\/$/, '');

export const client = computed<Client | undefined>(() =>
  token.value === ''
    ? undefined
    : createClient({ url: serviceUrl, token: () => token.value, fetch: watchedFetch }),
);

export function signIn(given: string): void {
  sessionStorage.setItem(storedAs, given);
  token.value = given;
}

/** The page is loaded anew, so that nothing of one person is left for the next, be it in memory or in the address. */
export function signOut(): void {
  sessionStorage.removeItem(storedAs);
  history.replaceState(null, '', location.pathname);
  location.reload();
}

/** The address stays: who signs in again sees the same. */
function tokenWasRefused(): void {
  if (token.value === '' || sessionStorage.getItem(storedAs) === null) return;
  sessionStorage.removeItem(storedAs);
  sessionStorage.setItem(
    reasonStoredAs,
    'The service does not know your token any more. Sign in with another.',
  );
  location.reload();
}

async function watchedFetch(...args: Parameters<typeof fetch>): Promise<Response> {
  try {
    const response = await fetch(...args);
    isReachable.value = true;
    if (response.status === 401) tokenWasRefused();
    return response;
  } catch (error) {
    if (error instanceof TypeError) isReachable.value = false;
    throw error;
  }
}
