import type { WireReader } from '../../protobuf/wire-reader.ts';
import { type HashOf, KnownBytes } from './known-bytes.ts';
import { NameLists } from './name-lists.ts';
import type { Series } from './series-rows.ts';
import { bytesOfTags, SharedTexts } from './shared-texts.ts';

/** Of a series without its tags, as the engine has it, about. */
const seriesBytes = 64;

/** Series of earlier requests, by the bytes of their labels, and the lists of names that their rows have. */
export class KnownSeries {
  readonly lists = new NameLists();
  readonly #known: KnownBytes<Series>;
  readonly #shared = new SharedTexts();

  constructor(most?: number, hashOf?: HashOf) {
    this.#known = new KnownBytes(most, hashOf);
  }

  /** The series whose labels stand in `[from, to)`. */
  find(reader: WireReader, from: number, to: number): Series | undefined {
    return this.#known.find(reader, from, to);
  }

  /** Gives the series, with texts that others have too. */
  add(reader: WireReader, from: number, to: number, { topic, streamId, name, tags }: Series): Series {
    const shared = {
      topic: this.#shared.text(topic),
      streamId: this.#shared.text(streamId),
      name: this.#shared.text(name),
      tags: this.#shared.tags(tags),
    };
    this.#known.add(reader, from, to, shared, seriesBytes + bytesOfTags(tags));
    return shared;
  }
}
