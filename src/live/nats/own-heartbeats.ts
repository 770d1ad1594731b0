import { encodeHeartbeats, type Heartbeat } from './heartbeat.ts';
import type { LinkEnds } from './live-link.ts';
import type { Losses } from './losses.ts';
import { createNamer } from './names.ts';
import type { Sender } from './sender.ts';

/** How often a beat gives streams new numbers, so that those of streams that are long gone are let go of. */
const anewMs = 600_000;

export interface OwnHeartbeatsParts {
  /** This node's id of this start, and its name. */
  readonly sender: string;
  readonly node: string;
  /** Milliseconds of a clock. */
  readonly now: () => number;
  /** What a beat tells of packages. */
  readonly out: Pick<Sender, 'missed' | 'passed' | 'lostAnywhere'>;
  readonly losses: Losses;
  readonly summary: LinkEnds['summary'];
  readonly publish: (message: Uint8Array) => void;
}

/** What this node says of itself, once a second and when it comes and goes. */
export class OwnHeartbeats {
  readonly #parts: OwnHeartbeatsParts;
  readonly #namer = createNamer();
  /** Of the next message: others know by a gap that they missed one. */
  #number = 0;
  /** The next beat tells of every stream that is active here. */
  #tellsAll = false;
  /** When numbers of streams began anew. */
  #anewAt = Number.NEGATIVE_INFINITY;
  /** Ids of the nodes that the next beat asks to tell all, because a beat of theirs was missed. */
  #asked = new Set<string>();

  constructor(parts: OwnHeartbeatsParts) {
    this.#parts = parts;
  }

  /** Has the next beat tell of every active stream. */
  tellAll(): void {
    this.#tellsAll = true;
  }

  /** Has the next beat ask that node to tell of every active stream. */
  ask(other: string): void {
    this.#asked.add(other);
  }

  send(word: Heartbeat['word']): void {
    const { sender, node, out, publish } = this.#parts;
    const { isAnew, topics } = word === 'bye' ? { isAnew: false, topics: [] } : this.#topics(word);
    const lostIn = this.#lostPlaces();
    const beat: Heartbeat = {
      sender,
      node,
      word,
      number: this.#number,
      passed: out.passed,
      lost: out.lostAnywhere,
      lostIn,
      asks: [...this.#asked],
      isAnew,
      topics,
    };
    for (const message of encodeHeartbeats(beat)) {
      this.#number++;
      publish(message);
    }
    this.#asked = new Set();
  }

  /** What happened here since the last beat, with streams by their numbers. */
  #topics(word: Heartbeat['word']) {
    const { now, summary } = this.#parts;
    const all = this.#tellsAll || word === 'hello' || now() - this.#anewAt > anewMs;
    const packed = this.#namer.pack(summary(all), all);
    if (packed.isAnew) this.#anewAt = now();
    this.#tellsAll = false;
    return packed;
  }

  /** Topics that lost packages since the last beat. Losses beyond those that a beat names count as lost anywhere. */
  #lostPlaces(): Heartbeat['lostIn'] {
    const { losses, out } = this.#parts;
    const { places, others } = losses.take();
    for (let i = 0; i < others; i++) out.missed();
    return places;
  }
}
