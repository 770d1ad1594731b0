import type { TagSet } from '../../domain/tags.ts';

/** What is shared, in bytes: beyond it all is forgotten, and what comes later has its own. */
const maxBytes = 8 * 1024 * 1024;

/** As the engine has them, about. */
const setBytes = 200;
const tagBytes = 120;
const textBytes = 64;

/** Equal texts, and equal sets of tags, as one object: they are compared again and again. */
export class SharedTexts {
  readonly #texts = new Map<string, string>();
  readonly #tagSets = new Map<string, TagSet>();
  #bytes = 0;

  text(text: string): string {
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    this.#count(textBytes + text.length);
    this.#texts.set(text, text);
    return text;
  }

  tags(tags: TagSet): TagSet {
    const known = this.#tagSets.get(tags.key);
    if (known !== undefined) return known;
    this.#count(bytesOfTags(tags));
    this.#tagSets.set(tags.key, tags);
    return tags;
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes <= maxBytes) return;
    this.#texts.clear();
    this.#tagSets.clear();
    this.#bytes = bytes;
  }
}

/** What a set of tags takes. */
export function bytesOfTags({ key, pairs }: TagSet): number {
  return setBytes + key.length + tagBytes * pairs.length;
}
