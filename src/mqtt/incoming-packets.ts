import type { Principal } from '../domain/principal.ts';
import type { ByteBudget, Reservation } from '../ingest/byte-budget.ts';
import type { LeastRate, Watch } from '../ingest/least-rate.ts';
import { createSlices } from '../turns/slices.ts';
import { BadPacket, headBytes, mostAtOnce, type Packet, PacketReader } from './packets.ts';

/** The size up to which a packet that is not whole yet is not counted; that of a stranger is counted sooner. */
const uncountedBytes = 256 * 1024;
const uncountedOfStranger = 4 * 1024;

/** Of the packets of all clients. */
const slices = createSlices('mqtt packets');

export interface IncomingParts {
  readonly maxPacketBytes: number;
  /** Where packets that are not whole yet count. */
  readonly budget: ByteBudget;
  readonly leastRate: LeastRate;
}

/**
 * Packets that came and were not handled yet, and what is not whole: what it takes, and how fast it comes. Before the
 * client has come in a packet is short, and comes alone.
 */
export class IncomingPackets {
  readonly queue: Packet[] = [];
  readonly #parts: IncomingParts;
  readonly #reader: PacketReader;
  readonly #onSlow: (error: Error) => void;
  #owner: Principal | undefined;
  #hasMore = false;
  /** Bytes of a frame of a WebSocket that is not whole. */
  #frame = 0;
  #share: Reservation | undefined;
  #counted = 0;
  #watch: Watch | undefined;

  constructor(parts: IncomingParts, onSlow: (error: Error) => void) {
    this.#parts = parts;
    this.#onSlow = onSlow;
    this.#reader = new PacketReader(headBytes, (packet) => this.queue.push(packet));
    this.#reader.most = 1;
  }

  /** The client has come in. */
  entered(owner: Principal): void {
    this.#owner = owner;
    this.#share?.release();
    this.#share = undefined;
    this.#counted = 0;
    this.#reader.maxBytes = this.#parts.maxPacketBytes;
    this.#reader.most = mostAtOnce;
  }

  /** Takes bytes; throws a BadPacket, or `overloaded` where there is no memory for a packet. */
  read(chunk: Buffer): void {
    this.#hasMore = this.#reader.read(chunk);
    this.#count();
    this.#watchRest(chunk.length);
  }

  /** Bytes of a frame came that is not whole yet; 0 when it is. Throws as `read`. */
  framed(bytes: number): void {
    this.#frame = bytes;
    this.#count();
  }

  /** Whether there are packets to be handled; makes more of what waits. All connections share one slice of a turn. */
  async next(): Promise<boolean> {
    if ((this.queue.length > 0 || this.#hasMore) && slices.isOver())
      await new Promise<void>((resolve) => slices.later(resolve));
    if (this.queue.length === 0 && this.#hasMore) this.#hasMore = this.#reader.readOn();
    if (this.queue.length > 0) return true;
    this.#watchRest(0);
    return false;
  }

  end(): void {
    this.queue.length = 0;
    this.#hasMore = false;
    this.#reader.end();
    this.#share?.end();
    this.#watch?.end();
  }

  #count(): void {
    const held = this.#reader.unfinished + this.#frame;
    const isStranger = this.#owner === undefined;
    if (isStranger && this.#frame > headBytes)
      throw new BadPacket('a frame that is too long for a login', 0x95);
    const counted = held < (isStranger ? uncountedOfStranger : uncountedBytes) ? 0 : held;
    if (counted < this.#counted) {
      this.#share?.release();
      this.#counted = 0;
    }
    if (counted === this.#counted) return;
    this.#share ??= this.#parts.budget.open(this.#owner);
    this.#share.take(counted - this.#counted);
    this.#counted = counted;
  }

  /** What is not whole has to come at the least rate while nothing is being handled. */
  #watchRest(bytes: number): void {
    if (this.#reader.isBetween || this.#hasMore || this.queue.length > 0) {
      this.#watch?.end();
      this.#watch = undefined;
      return;
    }
    this.#watch ??= this.#parts.leastRate.watch(this.#onSlow);
    this.#watch.arrived(bytes);
  }
}
