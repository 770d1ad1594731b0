import type { Principal } from '../domain/principal.ts';
import type { ByteBudget, Reservation } from '../ingest/byte-budget.ts';
import type { LeastRate, Watch } from '../ingest/least-rate.ts';
import { packetSlices as slices } from './incoming-bytes.ts';
import { BadPacket, headBytes, mostAtOnce, type Packet, PacketReader } from './packets.ts';

/** The size up to which a packet that is not whole yet is not counted; that of a stranger is counted sooner. */
const uncountedBytes = 256 * 1024;
const uncountedOfStranger = 4 * 1024;

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
  readonly #onFailed: (error: unknown) => void;
  #owner: Principal | undefined;
  #hasMore = false;
  /** Bytes of a frame of a WebSocket that is not whole. */
  #frame = 0;
  #share: Reservation | undefined;
  #counted = 0;
  #watch: Watch | undefined;

  /** @param onFailed is given a BadPacket, `overloaded` where there is no memory for a packet, or that it comes too slowly */
  constructor(parts: IncomingParts, onFailed: (error: unknown) => void) {
    this.#parts = parts;
    this.#onFailed = onFailed;
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

  /** Whether there is something for `next`. */
  get hasWork(): boolean {
    return this.queue.length > 0 || this.#hasMore;
  }

  /** Takes bytes. They are read later where the slice of this turn is used up. */
  read(chunk: Buffer): void {
    this.#guarded(() => {
      this.#hasMore = slices.isOver() ? this.#reader.add(chunk) || this.#hasMore : this.#reader.read(chunk);
      this.#count();
      this.#watchRest(chunk.length);
    });
  }

  /** Bytes of a frame came that is not whole yet; 0 when it is. */
  framed(bytes: number): void {
    this.#frame = bytes;
    this.#guarded(() => this.#count());
  }

  /** Whether there are packets to be handled; makes more of what waits. All connections share one slice of a turn. */
  async next(): Promise<boolean> {
    if (this.hasWork && slices.isOver()) await slices.turn();
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

  #guarded(take: () => void): void {
    try {
      take();
    } catch (error) {
      this.#onFailed(error);
    }
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
    if (this.#reader.isBetween || this.hasWork) {
      this.#watch?.end();
      this.#watch = undefined;
      return;
    }
    this.#watch ??= this.#parts.leastRate.watch(this.#onFailed);
    this.#watch.arrived(bytes);
  }
}
