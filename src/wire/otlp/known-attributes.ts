import type { TagSet } from '../../domain/tags.ts';
import type { WireReader } from '../../protobuf/wire-reader.ts';
import { type Known, remembered } from '../base/known.ts';
import { type HashOf, KnownBytes } from '../series/known-bytes.ts';
import { NameLists } from '../series/name-lists.ts';
import { bytesOfTags, SharedTexts } from '../series/shared-texts.ts';

/** Tags of earlier requests, and the lists of names that their rows have. */
export class KnownAttributes {
  readonly lists = new NameLists();
  /** Those with the bound of a bucket, by that and the others. */
  readonly parts: Known<TagSet> = remembered();
  readonly #known: KnownBytes<TagSet>;
  readonly #shared = new SharedTexts();

  constructor(most?: number, hashOf?: HashOf) {
    this.#known = new KnownBytes(most, hashOf);
  }

  /** The tags of the attributes that stand in `[from, to)`. */
  find(reader: WireReader, from: number, to: number): TagSet | undefined {
    return this.#known.find(reader, from, to);
  }

  /** Gives the tags, as the object that others have too. */
  add(reader: WireReader, from: number, to: number, tags: TagSet): TagSet {
    const shared = this.#shared.tags(tags);
    this.#known.add(reader, from, to, shared, bytesOfTags(shared));
    return shared;
  }

  /** Texts that are equal are one object from here on. */
  text(text: string): string {
    return this.#shared.text(text);
  }
}
