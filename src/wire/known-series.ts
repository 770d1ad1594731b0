import type { TagSet } from '../domain/tags.ts';
import type { WireReader } from '../protobuf/wire-reader.ts';
import { type HashOf, KnownBytes } from './known-bytes.ts';
import { NameLists } from './name-lists.ts';
import type { Series } from './series-rows.ts';

/** Texts that series share, in bytes: beyond it they are forgotten, and later series have their own. */
const maxTextBytes = 8 * 1024 * 1024;

/** As the engine has them, about. */
const seriesBytes = 64;
const setBytes = 200;
const tagBytes = 120;
const textBytes = 64;

/** Series of earlier requests, by the bytes of their labels, and the lists of names that their rows have. */
export class KnownSeries {
  readonly lists = new NameLists();
  readonly #known: KnownBytes<Series>;
  /** Equal texts and sets of tags are the same objects: they are compared for each series. */
  readonly #texts = new Map<string, string>();
  readonly #tagSets = new Map<string, TagSet>();
  #bytes = 0;

  constructor(most?: number, hashOf?: HashOf) {
    this.#known = new KnownBytes(most, hashOf);
  }

  /** The series whose labels stand in `[from, to)`. */
  find(reader: WireReader, from: number, to: number): Series | undefined {
    return this.#known.find(reader, from, to);
  }

  /** Gives the series, with texts that others have too. */
  add(reader: WireReader, from: number, to: number, series: Series): Series {
    const { topic, streamId, name, tags } = series;
    if (this.#bytes > maxTextBytes) {
      this.#texts.clear();
      this.#tagSets.clear();
      this.#bytes = 0;
    }
    const shared = {
      topic: this.#text(topic),
      streamId: this.#text(streamId),
      name: this.#text(name),
      tags: this.#tags(tags),
    };
    this.#known.add(reader, from, to, shared, seriesBytes + setBytes + tagBytes * tags.pairs.length);
    return shared;
  }

  #text(text: string): string {
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    this.#bytes += textBytes + text.length;
    this.#texts.set(text, text);
    return text;
  }

  #tags(tags: TagSet): TagSet {
    const known = this.#tagSets.get(tags.key);
    if (known !== undefined) return known;
    this.#bytes += setBytes + tags.key.length + tagBytes * tags.pairs.length;
    this.#tagSets.set(tags.key, tags);
    return tags;
  }
}
