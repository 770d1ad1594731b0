import type { Duplex } from 'node:stream';
import type { Accepted } from './connect.ts';
import type { Outgoing, Outlet, Sent } from './outgoing-queue.ts';
import { type Packet, writePacket } from './packets.ts';
import type { ReaderMemory } from './reader-memory.ts';

export interface OutletLimits {
  /** A client that has so much to take gets no more until it has. */
  readonly maxQueueBytes: number;
  readonly memory: ReaderMemory;
}

/** Sends messages over the connection of a client. */
export class ClientOutlet implements Outlet {
  readonly #stream: Duplex;
  readonly #accepted: Accepted;
  readonly #limits: OutletLimits;

  constructor(stream: Duplex, accepted: Accepted, limits: OutletLimits) {
    this.#stream = stream;
    this.#accepted = accepted;
    this.#limits = limits;
  }

  get receiveMaximum(): number {
    return this.#accepted.receiveMaximum;
  }

  publish({ topic, payload, qos, retain, time }: Outgoing, packetId: number | undefined, dup: boolean): Sent {
    const { version, maxPacketBytes } = this.#accepted;
    const { maxQueueBytes, memory } = this.#limits;
    const { writableLength } = this.#stream;
    // What is beside the payload takes less.
    const bytes = payload.length + 4 * topic.length + 64;
    if (bytes > maxPacketBytes) return 'too long';
    if (writableLength > maxQueueBytes || !memory.maySend(writableLength)) return 'later';
    memory.sent(bytes);
    const packet: Packet = {
      cmd: 'publish',
      topic,
      payload,
      qos,
      retain,
      dup,
      ...(packetId !== undefined && { messageId: packetId }),
      ...(version === 5 && time !== undefined && { properties: { userProperties: { time: String(time) } } }),
    };
    writePacket(this.#stream, packet, version);
    return 'sent';
  }
}

/** The unsent bytes beyond which a client is not answered until it has taken some. */
const mostUnsentBytes = 64 * 1024;
const nothing = Buffer.alloc(0);

/** Resolves when what was written to a client has left, where that is much, or it has gone. */
export async function answersLeft(stream: Duplex): Promise<void> {
  if (!stream.writable || stream.writableLength <= mostUnsentBytes) return;
  await new Promise((resolve) => stream.write(nothing, resolve));
}
