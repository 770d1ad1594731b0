import { signal } from '@preact/signals';

/** What a browser has for it; elsewhere there is none. */
interface Browser {
  matchMedia?(query: string): {
    readonly matches: boolean;
    addEventListener(type: 'change', listener: (event: { readonly matches: boolean }) => void): void;
  };
}

const query = (globalThis as Browser).matchMedia?.('(prefers-color-scheme: dark)');

/** Whether the page has a dark ground: the browser, or its system, says so. */
export const isDark = signal(query?.matches ?? false);

query?.addEventListener('change', ({ matches }) => {
  isDark.value = matches;
});
