import { type ReadonlySignal, signal } from '@preact/signals';
import { ofBrowser, tried } from './stored.ts';

/** Texts that this browser keeps, the same in all tabs. */
export interface StoredList {
  readonly texts: ReadonlySignal<readonly string[]>;
  /** Takes a text out, or puts it behind the others. */
  readonly turn: (text: string) => void;
}

/** @param most so many are kept: those that came last */
export function storedList(name: string, most: number): StoredList {
  const texts = signal(stored(name));
  addEventListener('storage', ({ key }) => {
    if (key === name || key === null) texts.value = stored(name);
  });
  return {
    texts,
    turn(text) {
      const isIn = texts.value.includes(text);
      // Another tab may have kept others since this one looked.
      const others = stored(name).filter((other) => other !== text);
      texts.value = (isIn ? others : [...others, text]).slice(-most);
      ofBrowser.put(name, JSON.stringify(texts.value));
    },
  };
}

/** None where there are none, or they cannot be read. */
function stored(name: string): readonly string[] {
  const kept = tried((): unknown => JSON.parse(ofBrowser.get(name) ?? '[]'));
  return Array.isArray(kept) ? kept.filter((text) => typeof text === 'string') : [];
}
