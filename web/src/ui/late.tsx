import { type ReadonlySignal, signal } from '@preact/signals';
import type { ComponentType } from 'preact';

/** Those of the parts that are components. */
type Components<Parts> = {
  [Name in keyof Parts]: Parts[Name] extends ComponentType ? Name : never;
}[keyof Parts];

export interface Late<Parts> {
  /** A component that is nothing until the parts are loaded. */
  readonly part: (name: Components<Parts>) => ComponentType;
  /** Loads the parts, once; gives them, or nothing where that fails. */
  readonly load: () => Promise<Parts | undefined>;
  readonly hasFailed: ReadonlySignal<boolean>;
}

/** Parts of the page in a file of their own, which the first picture does not wait for. */
export function late<Parts extends object>(fetchParts: () => Promise<Parts>): Late<Parts> {
  const parts = signal<Parts | undefined>(undefined);
  const hasFailed = signal(false);
  let loading: Promise<Parts | undefined> | undefined;
  return {
    part: (name) => () => {
      const Own = parts.value?.[name] as ComponentType | undefined;
      return Own === undefined ? null : <Own />;
    },
    load() {
      loading ??= fetchParts().then(
        (loaded) => {
          parts.value = loaded;
          return loaded;
        },
        () => {
          hasFailed.value = true;
          return undefined;
        },
      );
      return loading;
    },
    hasFailed,
  };
}
