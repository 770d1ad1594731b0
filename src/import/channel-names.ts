import { FileFault } from './file-bytes.ts';

/** The longest name of a parameter that a service takes, in bytes of UTF-8, unless it is told otherwise. */
export const longestName = 512;

/** Gives each channel of a file a name of its own. */
export interface ChannelNames {
  /**
   * The given name, as a service takes it; the second channel of a name gets ` (2)` behind it. Throws for one that is too long.
   * @param place of the name in the file: the byte, unless `faultOf` takes another
   */
  nameFor(given: string, place: number): string;
  /** Tells in words which have another name than the given one. */
  notes(): string[];
}

/** So many of them are named. */
const mostShown = 10;

/** A name as a service takes it: without control characters and halves of characters, and without spaces round it. */
export function plainName(given: string): string {
  return given
    .replaceAll(/\p{Cc}+/gu, ' ')
    .toWellFormed()
    .trim();
}

/** Names in words, where there are any. */
export function namesText(what: string, names: readonly string[]): string[] {
  if (names.length === 0) return [];
  const more = names.length > mostShown ? ` and ${names.length - mostShown} more` : '';
  return [`${what}: ${names.slice(0, mostShown).join(', ')}${more}`];
}

/** @param faultOf makes what is thrown; a FileFault without it */
export function channelNames(
  faultOf: (what: string, place: number) => Error = (what, place) => new FileFault(what, place),
): ChannelNames {
  const taken = new Set<string>();
  const renamed: string[] = [];
  const plain: string[] = [];
  /** By given name the number to try next: looking from 2 again would take longer with each. */
  const next = new Map<string, number>();
  return {
    nameFor(written, place) {
      const given = plainName(written);
      let name = given;
      let number = next.get(given) ?? 2;
      for (; taken.has(name); number++) name = `${given} (${number})`;
      // A letter has three bytes at most.
      if (name.length * 3 > longestName && new TextEncoder().encode(name).length > longestName) {
        throw faultOf(`the name of a channel has more than ${longestName} bytes`, place);
      }
      if (name !== given) {
        next.set(given, number);
        renamed.push(name);
      }
      if (given !== written.trim()) plain.push(name);
      taken.add(name);
      return name;
    },
    notes: () => [
      ...namesText('names without their control characters', plain),
      ...namesText('renamed, for others have their names', renamed),
    ],
  };
}
