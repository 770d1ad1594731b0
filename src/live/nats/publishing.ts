import { type ChunkHead, chunks } from './chunks.ts';
import type { LastingConnection } from './connection.ts';
import { encodePackage, encodeSteps, maxPackageBytes, type WholePackage } from './package.ts';
import type { Offered, Sender } from './sender.ts';
import { sizeOfContent, splitContent } from './split.ts';
import { packageSubject } from './subject.ts';

/** The largest message, even where NATS allows more. */
const maxMessageBytes = 1 << 20;
/** The size of the packages that are encoded at once: in a fraction of a millisecond. */
const encodedAtOnce = 128 * 1024;

/** Offers packages of this node to its sender, as messages that NATS takes: parts of a long write, and chunks of each. */
export class PackagePublisher {
  readonly #nats: Pick<LastingConnection, 'maxPayloadBytes'>;
  readonly #out: Sender;
  /** This node's id of this start, which every message begins with. */
  readonly #id: Uint8Array;
  /** What subjects of packages begin with. */
  readonly #prefix: string;

  constructor(nats: Pick<LastingConnection, 'maxPayloadBytes'>, out: Sender, id: Uint8Array, prefix: string) {
    this.#nats = nats;
    this.#out = out;
    this.#id = id;
    this.#prefix = prefix;
  }

  /** To be called while NATS is there. */
  publish(whole: WholePackage): void {
    const messageBytes = Math.min(this.#nats.maxPayloadBytes, maxMessageBytes);
    const parts = splitContent(whole.content, maxPackageBytes);
    const bytesOfOne = parts.length === 1 ? sizeOfContent(whole.content) : maxPackageBytes;
    if (bytesOfOne <= encodedAtOnce) {
      const bytes = encodePackage(whole);
      this.#offer(whole, chunks(this.#nextHead(), bytes, messageBytes), bytes.length, false);
      return;
    }
    // The parts of a write go as a whole or not at all.
    let isTaken = false;
    for (const [i, content] of parts.entries()) {
      if (i > 0 && !isTaken) break;
      const messages = encodedLater({ ...whole, content }, this.#nextHead(), messageBytes);
      isTaken = this.#offer(whole, messages, bytesOfOne, i > 0);
    }
  }

  /** What the messages of the next package that is offered begin with. */
  #nextHead(): ChunkHead {
    return { sender: this.#id, number: this.#out.offered };
  }

  #offer(whole: WholePackage, messages: Offered['messages'], bytes: number, hasRoom: boolean): boolean {
    const { workspace, topic } = whole;
    const subject = this.#prefix + subjectOf(whole);
    return this.#out.offer({ subject, place: { workspace, topic }, messages, bytes }, hasRoom);
  }
}

/** Messages of a package that is encoded when its turn comes, in slices, or a large write would take its room twice. */
function* encodedLater(
  whole: WholePackage,
  head: ChunkHead,
  messageBytes: number,
): Generator<Uint8Array | undefined> {
  const bytes = yield* encodeSteps(whole);
  for (const message of chunks(head, bytes, messageBytes)) {
    yield message;
    yield undefined;
  }
}

/** The subject of a package, without the prefix. */
export function subjectOf({ workspace, topic, streamId, content }: WholePackage): string {
  return packageSubject(workspace, topic, streamId, content.type);
}
