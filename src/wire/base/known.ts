/** Letters of the keys that are remembered: of 40,000 sets of tags with keys of 200 letters, which take some 40 MB. */
const maxLetters = 8 * 1024 * 1024;

/** What was made for earlier requests, by a text. What is known by bytes of a message is in `known-bytes.ts`. */
export interface Known<Value> {
  find(key: string): Value | undefined;
  add(key: string, value: Value): void;
}

/** When half of the memory is taken, what was not asked for since the last time is forgotten. */
export function remembered<Value>(most = maxLetters): Known<Value> {
  let young = new Map<string, Value>();
  let old = new Map<string, Value>();
  let letters = 0;
  const add = (key: string, value: Value): void => {
    letters += key.length;
    if (letters > most / 2) {
      old = young;
      young = new Map();
      letters = key.length;
    }
    young.set(key, value);
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
