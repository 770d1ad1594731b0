import { FileFault } from './file-bytes.ts';

/** The longest name of a parameter that a service takes, in bytes of UTF-8, unless it is told otherwise. */
const longestName = 512;

/** Gives each channel of a file a name of its own. */
export interface ChannelNames {
  /** The given name; the second channel of a name gets ` (2)` behind it. Throws a FileFault for one that is too long. */
  nameFor(given: string, offset: number): string;
}

export function channelNames(): ChannelNames {
  const taken = new Set<string>();
  /** By given name the number to try next: looking from 2 again would take longer with each. */
  const next = new Map<string, number>();
  return {
    nameFor(given, offset) {
      let name = given;
      let number = next.get(given) ?? 2;
      for (; taken.has(name); number++) name = `${given} (${number})`;
      if (new TextEncoder().encode(name).length > longestName) {
        throw new FileFault(`the name of a channel has more than ${longestName} bytes`, offset);
      }
      if (name !== given) next.set(given, number);
      taken.add(name);
      return name;
    },
  };
}
