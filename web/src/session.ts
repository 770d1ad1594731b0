import { computed, signal } from '@preact/signals';
import { type Client, createClient } from '../../src/client/client.ts';

/**
 * Who uses the page: a token, kept for as long as the browser's tab, and in no address. `?` in the address of the hub's
 * WebSocket is the one place where browsers leave no other way.
 */
const storedAs = 'pitwall.token';

export const token = signal(sessionStorage.getItem(storedAs) ?? '');

export const client = computed<Client | undefined>(() =>
  token.value === '' ? undefined : createClient({ url: serviceUrl, token: () => token.value }),
);

/** The service that the page came from. */
export const serviceUrl = new URL('.', location.href).href.replace(/\/$/, '');

export function signIn(given: string): void {
  sessionStorage.setItem(storedAs, given);
  token.value = given;
}

export function signOut(): void {
  sessionStorage.removeItem(storedAs);
  token.value = '';
}
