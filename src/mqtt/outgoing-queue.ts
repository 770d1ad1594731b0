import type { ReaderMemory } from './reader-memory.ts';
import { mostUnderWay } from './repeats.ts';

/** What is on its way to a client. */
export interface Outgoing {
  readonly topic: string;
  readonly payload: Buffer;
  readonly qos: 0 | 1;
  readonly retain: boolean;
  /** ns; undefined where it has none. */
  readonly time: bigint | undefined;
}

/** A message was sent, cannot be sent now, or never over this connection. */
export type Sent = 'sent' | 'later' | 'too long';

/** The connection of a session, where it has one. Whoever has it calls `drain` when it takes more again. */
export interface Outlet {
  /** Messages with an acknowledgement that it may have at one time. */
  readonly receiveMaximum: number;
  publish(message: Outgoing, packetId: number | undefined, dup: boolean): Sent;
}

/** The most messages that wait for a client that is away, or slow. */
const mostWaiting = 1000;
/** The most bytes of what waits, and as many of what was sent and is not acknowledged. */
const mostBytes = 4 << 20;
/** What a message takes beside its payload. */
const messageBytes = 200;

/** Messages with an acknowledgement, in their order; and others, which do not wait. */
export class OutgoingQueue {
  readonly #memory: ReaderMemory;
  readonly #onLeftOut: (count: number) => void;
  #outlet: Outlet | undefined;
  #waiting: Outgoing[] = [];
  #waitingBytes = 0;
  /** Sent and not acknowledged. */
  readonly #underWay = new Map<number, Outgoing>();
  #underWayBytes = 0;
  /** Numbers of the messages that an earlier connection sent. */
  readonly #again = new Set<number>();
  #lastId = 0;

  constructor(memory: ReaderMemory, onLeftOut: (count: number) => void) {
    this.#memory = memory;
    this.#onLeftOut = onLeftOut;
  }

  get isConnected(): boolean {
    return this.#outlet !== undefined;
  }

  /** Sends a message, or has it wait; one that cannot wait is left out, and counted. */
  send(message: Outgoing): void {
    if (message.qos === 0) {
      if (this.#outlet !== undefined && this.#outlet.publish(message, undefined, false) !== 'sent')
        this.#onLeftOut(1);
      return;
    }
    const bytes = bytesOf(message);
    const isFull = this.#waiting.length >= mostWaiting || this.#waitingBytes + bytes > mostBytes;
    if (isFull || !this.#memory.queue(bytes)) {
      this.#onLeftOut(1);
      return;
    }
    this.#waiting.push(message);
    this.#waitingBytes += bytes;
    this.drain();
  }

  /** The client has taken a message. */
  acknowledged(packetId: number): void {
    if (!this.#underWay.has(packetId)) return;
    this.#ended(packetId);
    this.drain();
  }

  /** Sends again what an earlier connection did not bring, and what waits. */
  attach(outlet: Outlet): void {
    this.#outlet = outlet;
    for (const packetId of this.#underWay.keys()) this.#again.add(packetId);
    this.drain();
  }

  detach(outlet: Outlet): void {
    if (this.#outlet === outlet) this.#outlet = undefined;
  }

  clear(): void {
    this.#memory.unqueue(this.#waitingBytes + this.#underWayBytes);
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.#underWay.clear();
    this.#underWayBytes = 0;
    this.#again.clear();
  }

  /** Sends what may be sent now. */
  drain(): void {
    const outlet = this.#outlet;
    if (outlet === undefined) return;
    for (const packetId of this.#again) {
      if (!this.#mayStart(outlet)) return;
      const sent = outlet.publish(this.#underWay.get(packetId)!, packetId, true);
      if (sent === 'later') return;
      this.#again.delete(packetId);
      if (sent === 'too long') this.#leaveOut(packetId);
    }
    let count = 0;
    while (
      count < this.#waiting.length &&
      this.#mayStart(outlet) &&
      this.#start(outlet, this.#waiting[count]!)
    )
      count++;
    if (count > 0) this.#waiting = this.#waiting.slice(count);
  }

  /** Whether fewer are under way than may be, over this connection. */
  #mayStart({ receiveMaximum }: Outlet): boolean {
    return this.#underWay.size - this.#again.size < Math.min(receiveMaximum, mostUnderWay);
  }

  /** Sends a message with a number of its own; false where it has to wait. */
  #start(outlet: Outlet, message: Outgoing): boolean {
    const bytes = bytesOf(message);
    if (this.#underWay.size > 0 && this.#underWayBytes + bytes > mostBytes) return false;
    let id = this.#lastId;
    do id = (id % 0xffff) + 1;
    while (this.#underWay.has(id));
    const sent = outlet.publish(message, id, false);
    if (sent === 'later') return false;
    this.#lastId = id;
    this.#waitingBytes -= bytes;
    this.#underWay.set(id, message);
    this.#underWayBytes += bytes;
    if (sent === 'too long') this.#leaveOut(id);
    return true;
  }

  #leaveOut(packetId: number): void {
    this.#ended(packetId);
    this.#onLeftOut(1);
  }

  #ended(packetId: number): void {
    const bytes = bytesOf(this.#underWay.get(packetId)!);
    this.#underWay.delete(packetId);
    this.#again.delete(packetId);
    this.#underWayBytes -= bytes;
    this.#memory.unqueue(bytes);
  }
}

function bytesOf({ payload }: Outgoing): number {
  return payload.length + messageBytes;
}
