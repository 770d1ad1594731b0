import type { Series } from './series-rows.ts';

/** Letters of the keys that are remembered: of 40,000 series with labels of 200 bytes, which take some 40 MB. */
const maxLetters = 8 * 1024 * 1024;

/**
 * Series of earlier requests by the bytes of their labels: whoever writes them writes the same ones again and again, and
 * to read labels takes longer than their samples do.
 */
export interface KnownSeries {
  find(key: string): Series | undefined;
  add(key: string, series: Series): void;
}

/** When half of the memory is taken, what was not asked for since the last time is forgotten. */
export function knownSeries(most = maxLetters): KnownSeries {
  let young = new Map<string, Series>();
  let old = new Map<string, Series>();
  let letters = 0;
  const add = (key: string, series: Series): void => {
    letters += key.length;
    if (letters > most / 2) {
      old = young;
      young = new Map();
      letters = key.length;
    }
    young.set(key, series);
  };
  return {
    find(key) {
      const found = young.get(key);
      if (found !== undefined) return found;
      const earlier = old.get(key);
      if (earlier !== undefined) add(key, earlier);
      return earlier;
    },
    add,
  };
}
