import { type ReadonlySignal, signal } from '@preact/signals';
import type { ComponentType } from 'preact';

export interface Late<Parts> {
  /** A component that is nothing until the parts are loaded. */
  readonly part: (name: keyof Parts) => ComponentType;
  /** Loads the parts, once. */
  readonly load: () => void;
  readonly hasFailed: ReadonlySignal<boolean>;
}

/** Parts of the page in a file of their own, which the first picture does not wait for. */
export function late<Parts extends Readonly<Record<keyof Parts, ComponentType>>>(
  fetchParts: () => Promise<Parts>,
): Late<Parts> {
  const parts = signal<Parts | undefined>(undefined);
  const hasFailed = signal(false);
  let isBegun = false;
  return {
    part: (name) => () => {
      const Own: ComponentType | undefined = parts.value?.[name];
      return Own === undefined ? null : <Own />;
    },
    load() {
      if (isBegun) return;
      isBegun = true;
      fetchParts().then(
        (loaded) => {
          parts.value = loaded;
        },
        () => {
          hasFailed.value = true;
        },
      );
    },
    hasFailed,
  };
}
