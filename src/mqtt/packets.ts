import type { Duplex } from 'node:stream';
import type { IPublishPacket, Packet, Parser } from 'mqtt-packet';

export type {
  IConnectPacket,
  ISubscribePacket,
  ISubscription,
  IUnsubscribePacket,
  Packet,
} from 'mqtt-packet';

/** The library, once it is loaded: most services speak no MQTT. */
let library: typeof import('mqtt-packet') | undefined;

/** Loads what reads and writes packets; to be awaited before any is. */
export async function loadPackets(): Promise<void> {
  library ??= await import('mqtt-packet');
}

/** Versions of MQTT: 3.1, 3.1.1 and 5.0. */
export type Version = 3 | 4 | 5;

/** What a packet says that cannot be read, or is too long. */
export class BadPacket extends Error {
  /** Of MQTT 5: 0x81 malformed, 0x82 against the protocol, 0x95 too large. */
  readonly reasonCode: number;

  constructor(message: string, reasonCode = 0x81) {
    super(message);
    this.reasonCode = reasonCode;
  }
}

/** A message; of one that is too long there is only what stands before its properties. */
export interface Publish extends IPublishPacket {
  /** Bytes of a packet that is longer than may be. */
  readonly tooLong?: number;
}

/** Longest packet before a client has come in, and what a topic and its properties take beside a payload. */
export const headBytes = 128 * 1024;
/** The packets that are made before everything else has a turn. */
export const mostAtOnce = 256;

/** How far the library has read in the packet at hand. */
interface Reading extends Parser {
  readonly _pos: number;
}

/** Bytes to packets. Throws a BadPacket; then nothing more can be read. */
export class PacketReader {
  /** Longest packet: of a longer message only the head is read, any other is refused when its length has come. */
  maxBytes: number;
  /** So many packets are handed on at once. */
  most = mostAtOnce;
  readonly #reading: Reading;
  readonly #onPacket: (packet: Packet) => void;
  #failed: Error | undefined;
  #waiting: Buffer[] = [];
  #unfinished = 0;
  /** Until so many bytes wait nothing more can be read. */
  #wanted = 0;
  /** Bytes of a message that is too long and are still to come. */
  #skipping = 0;

  /** @param version of the packets; a server learns it from the first one */
  constructor(maxBytes: number, onPacket: (packet: Packet) => void, version?: Version) {
    this.maxBytes = maxBytes;
    this.#onPacket = onPacket;
    const options = version === undefined ? undefined : { protocolVersion: version };
    this.#reading = library!.parser(options) as Reading;
    this.#reading.on('packet', (packet) => this.#take(packet));
    this.#reading.on('error', (error: Error) => {
      this.#failed ??= error;
    });
  }

  /** Bytes that wait. */
  get unfinished(): number {
    return this.#unfinished;
  }

  /** All that came is read, and no packet is under way. */
  get isBetween(): boolean {
    return this.#unfinished === 0 && this.#skipping === 0;
  }

  /** Hands on packets that are whole now; true where there may be more. */
  read(chunk: Buffer): boolean {
    return this.add(chunk) && this.readOn();
  }

  /** Takes bytes to be read later; true where packets may be whole now. */
  add(chunk: Buffer): boolean {
    const skipped = Math.min(this.#skipping, chunk.length);
    this.#skipping -= skipped;
    if (skipped === chunk.length) return false;
    this.#waiting.push(chunk.subarray(skipped));
    this.#unfinished += chunk.length - skipped;
    return this.#unfinished >= this.#wanted;
  }

  /** The same of what waits already. */
  readOn(): boolean {
    if (this.#unfinished < this.#wanted || this.#unfinished === 0) return false;
    const bytes = this.#waiting.length === 1 ? this.#waiting[0]! : Buffer.concat(this.#waiting);
    let at = 0;
    let count = 0;
    this.#wanted = 0;
    while (count < this.most && this.#skipping === 0) {
      const length = packetBytes(bytes, at);
      if (length === undefined) break;
      const isLong = length > this.maxBytes;
      const needed = isLong ? this.#headBytes(bytes, at, length) : length;
      if (at + needed > bytes.length) {
        this.#wanted = needed;
        break;
      }
      // One packet at a time: of one that is too short the library would read on in the next one.
      if (isLong) this.#onPacket(longPublish(bytes, at, needed, length));
      else this.#parse(bytes.subarray(at, at + needed));
      const end = Math.min(at + length, bytes.length);
      this.#skipping = at + length - end;
      at = end;
      count++;
    }
    const left = bytes.subarray(at);
    this.#waiting = left.length > 0 ? [left] : [];
    this.#unfinished = left.length;
    return count === this.most && left.length > 0;
  }

  /** Nothing more comes; what waits is let go of. */
  end(): void {
    this.#waiting = [];
    this.#unfinished = 0;
  }

  #parse(bytes: Buffer): void {
    this.#reading.parse(bytes);
    if (this.#failed !== undefined) throw new BadPacket(this.#failed.message);
  }

  #take(packet: Packet): void {
    const isShort = this.#reading._pos > (packet.length ?? 0) || (packet.messageId ?? 1) < 1;
    if (isShort) this.#failed ??= new Error(`a ${packet.cmd} that is too short, or has no number`);
    if (this.#failed === undefined) this.#onPacket(packet);
  }

  /** What of a packet that is too long must be there to know what it is: a message up to its number. */
  #headBytes(bytes: Buffer, at: number, length: number): number {
    if (bytes[at]! >> 4 !== publishType)
      throw new BadPacket(`a packet of ${length} bytes; ${this.maxBytes} are allowed`, 0x95);
    const start = lengthEnd(bytes, at);
    if (start + 2 > bytes.length) return start + 2 - at;
    const head = start + 2 + bytes.readUInt16BE(start) + (qosOf(bytes[at]!) > 0 ? 2 : 0) - at;
    if (head > length || head > headBytes) throw new BadPacket('a publish that is too short');
    return head;
  }
}

const publishType = 3;

function qosOf(flags: number): number {
  return (flags >> 1) & 3;
}

/** Where what comes after the length begins. */
function lengthEnd(bytes: Buffer, at: number): number {
  let end = at + 1;
  while (bytes[end]! >= 0x80) end++;
  return end + 1;
}

/** A message of which only the head is there. */
function longPublish(bytes: Buffer, at: number, head: number, length: number): Publish {
  const flags = bytes[at]!;
  const qos = qosOf(flags);
  const start = lengthEnd(bytes, at) + 2;
  const end = at + head - (qos > 0 ? 2 : 0);
  const messageId = qos > 0 ? bytes.readUInt16BE(end) : undefined;
  if (qos === 3 || messageId === 0)
    throw new BadPacket('a publish with a wrong quality of service, or no number');
  return {
    cmd: 'publish',
    topic: bytes.toString('utf8', start, end),
    payload: Buffer.alloc(0),
    qos: qos as 0 | 1 | 2,
    dup: (flags & 8) !== 0,
    retain: (flags & 1) !== 0,
    ...(messageId !== undefined && { messageId }),
    tooLong: length,
  };
}

/**
 * How many bytes the packet at `at` has, with its length (MQTT 5.0, section 2.1.4); undefined where that is not there
 * yet.
 */
function packetBytes(bytes: Buffer, at: number): number | undefined {
  let length = 0;
  for (let i = 0; i < 4; i++) {
    const byte = bytes[at + 1 + i];
    if (byte === undefined) return undefined;
    length += (byte & 0x7f) * 128 ** i;
    if (byte < 0x80) return 2 + i + length;
  }
  throw new BadPacket('a length of more than four bytes');
}

/** Writes a packet; false where the other side is slow to take what waits. */
export function writePacket(stream: Duplex, packet: Packet, version: Version): boolean {
  return library!.writeToStream(packet, stream, { protocolVersion: version });
}
