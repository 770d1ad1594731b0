import { crc32 } from 'node:zlib';

/** What a node has read of the log: up to which message, and a checksum of the marks of all up to there. */
export interface ReadUpTo {
  readonly sequence: number;
  readonly chain: number;
}

/** Places by which messages can be compared: what a sender has read lags behind by a few. */
const mostPlaces = 8192;

/** What this node has read of the log, by place. Two nodes with the same checksum at a place have read the same up to there. */
export class LogChain {
  readonly #first: number;
  #last: ReadUpTo;
  readonly #chains = new Uint32Array(mostPlaces);

  constructor({ sequence, chain }: ReadUpTo) {
    this.#first = sequence;
    this.#last = { sequence, chain };
    this.#chains[sequence % mostPlaces] = chain;
  }

  get last(): ReadUpTo {
    return this.#last;
  }

  /** Takes the mark of the message behind the last one. One that comes again changes nothing. */
  add(sequence: number, mark: number): void {
    if (sequence <= this.#last.sequence) return;
    const chain = crc32(Uint32Array.of(mark), this.#last.chain);
    this.#last = { sequence, chain };
    this.#chains[sequence % mostPlaces] = chain;
  }

  /** Whether another node has read something else up to there, or a message that this one has not: false where that is not known. */
  differsFrom({ sequence, chain }: ReadUpTo): boolean {
    const last = this.#last.sequence;
    if (sequence > last) return true;
    return (
      sequence >= Math.max(this.#first, last - mostPlaces + 1) &&
      this.#chains[sequence % mostPlaces] !== chain
    );
  }
}
