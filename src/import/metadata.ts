import { longestName, namesText, plainName } from './channel-names.ts';

/** The most bytes of a text that a stream keeps. */
const longestText = 1 << 16;

/** What a file says of a recording, as a stream keeps it. */
export interface Metadata {
  /** The second text of a name gets ` (2)` behind its name; one that says the same again is none. */
  add(given: string, text: string): void;
  readonly entries: Readonly<Record<string, string>>;
  /** What is not kept, and why. */
  readonly leftOut: readonly string[];
  /** Tells in words which have another name than the given one. */
  notes(): string[];
}

export function createMetadata(): Metadata {
  const kept = new Map<string, string>();
  const seen = new Set<string>();
  /** By plain name the number to try next: looking from 2 again would take longer with each. */
  const next = new Map<string, number>();
  const leftOut: string[] = [];
  const renamed: string[] = [];
  const add = (given: string, text: string): void => {
    const plain = plainName(given) || 'metadata';
    // Writers that append to a file repeat what they said.
    const said = JSON.stringify([plain, text]);
    if (seen.has(said)) return;
    seen.add(said);
    let name = plain;
    let number = next.get(plain) ?? 2;
    for (; kept.has(name); number++) name = `${plain} (${number})`;
    const why = tooLong(name, longestName) ?? tooLong(text, longestText);
    if (why !== undefined) {
      leftOut.push(`metadata ${name.length > 100 ? `${name.slice(0, 100)}…` : name} (${why})`);
      return;
    }
    kept.set(name, text);
    next.set(plain, number);
    if (name !== given.trim()) renamed.push(name);
  };
  return {
    add,
    leftOut,
    get entries() {
      return Object.fromEntries(kept);
    },
    notes: () => namesText('metadata under other names than in the file', renamed),
  };
}

function tooLong(text: string, most: number): string | undefined {
  const bytes = new TextEncoder().encode(text).length;
  const what = most === longestName ? 'a name of ' : '';
  return bytes > most ? `${what}${bytes} bytes, ${most} are kept at most` : undefined;
}
