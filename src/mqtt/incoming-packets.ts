import type { Principal } from '../domain/principal.ts';
import type { ByteBudget, Reservation } from '../ingest/byte-budget.ts';
import type { LeastRate, Watch } from '../ingest/least-rate.ts';
import { type Packet, type PacketReader, packetReader } from './packets.ts';

/** A packet that is not whole yet and takes more counts. */
const uncountedBytes = 256 * 1024;

export interface IncomingParts {
  readonly maxPacketBytes: number;
  /** Where packets that are not whole yet count. */
  readonly budget: ByteBudget;
  readonly leastRate: LeastRate;
}

/**
 * Packets that came and were not handled yet, and the one that is not whole: what it takes, and how fast it comes.
 */
export class IncomingPackets {
  readonly queue: Packet[] = [];
  readonly #parts: IncomingParts;
  readonly #reader: PacketReader;
  readonly #onSlow: (error: Error) => void;
  #share: Reservation | undefined;
  #watch: Watch | undefined;

  constructor(parts: IncomingParts, onSlow: (error: Error) => void) {
    this.#parts = parts;
    this.#onSlow = onSlow;
    this.#reader = packetReader(parts.maxPacketBytes, (packet) => this.queue.push(packet));
  }

  /**
   * Takes bytes; throws a BadPacket, or `overloaded` where there is no memory for a packet.
   *
   * @param owner undefined before the client has come in: what comes then is short
   */
  read(chunk: Buffer, owner: Principal | undefined): void {
    const before = this.#reader.unfinished;
    this.#reader.read(chunk);
    const { unfinished } = this.#reader;
    if (unfinished === 0 || this.queue.length > 0) {
      this.#watch?.end();
      this.#watch = undefined;
    } else {
      this.#watch ??= this.#parts.leastRate.watch(this.#onSlow);
      this.#watch.arrived(chunk.length);
    }
    if (unfinished < uncountedBytes || owner === undefined) {
      this.#share?.release();
      return;
    }
    this.#share ??= this.#parts.budget.open(owner);
    this.#share.take(before < uncountedBytes ? unfinished : Math.max(0, unfinished - before));
  }

  end(): void {
    this.queue.length = 0;
    this.#share?.release();
    this.#watch?.end();
  }
}
