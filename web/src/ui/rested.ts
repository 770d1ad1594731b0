import { signal } from '@preact/signals';
import { restOrLong } from './turns.ts';

/** Whether the first picture is drawn, or takes long: then what it did not need is loaded, and shown. */
export const isRested = signal(false);

/** Waits for that, once the page is laid out. */
export function awaitRest(): void {
  restOrLong().then(() => {
    isRested.value = true;
  });
}
