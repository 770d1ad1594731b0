import type { Duplex } from 'node:stream';
import type { Packet, Parser } from 'mqtt-packet';

export type {
  IConnectPacket,
  IPublishPacket,
  ISubscribePacket,
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

/** Bytes to packets. */
export interface PacketReader {
  /** Hands on the packets that are whole now. Throws a BadPacket; then nothing more can be read. */
  read(chunk: Buffer): void;
  /** Bytes of a packet that is not whole yet. */
  readonly unfinished: number;
}

/** How far the library has read in the packet at hand. */
interface Reading extends Parser {
  readonly _pos: number;
}

/**
 * The library gets one packet at a time: of one that is too short it would read on in the next one.
 *
 * @param maxBytes longest packet; a longer one is refused when its length has come
 * @param version of the packets; a server learns it from the first one
 */
export function packetReader(
  maxBytes: number,
  onPacket: (packet: Packet) => void,
  version?: Version,
): PacketReader {
  const reading = library!.parser(
    version === undefined ? undefined : { protocolVersion: version },
  ) as Reading;
  let failed: Error | undefined;
  reading.on('packet', (packet) => {
    const isShort = reading._pos > (packet.length ?? 0) || (packet.messageId ?? 1) < 1;
    if (isShort) failed ??= new Error(`a ${packet.cmd} that is too short, or has no number`);
    if (failed === undefined) onPacket(packet);
  });
  reading.on('error', (error: Error) => {
    failed ??= error;
  });
  let waiting: Buffer[] = [];
  let unfinished = 0;
  /** Of the packet that waits; undefined until its length has come. */
  let wanted: number | undefined;

  const take = (bytes: Buffer): void => {
    reading.parse(bytes);
    if (failed !== undefined) throw new BadPacket(failed.message);
  };
  /** Takes the whole packets at the front of some bytes; gives what is left. */
  const takeAll = (bytes: Buffer): Buffer => {
    let at = 0;
    for (;;) {
      wanted = packetBytes(bytes, at);
      if (wanted !== undefined && wanted > maxBytes)
        throw new BadPacket(`a packet of ${wanted} bytes; ${maxBytes} are allowed`, 0x95);
      if (wanted === undefined || at + wanted > bytes.length) return bytes.subarray(at);
      take(bytes.subarray(at, at + wanted));
      at += wanted;
    }
  };

  return {
    get unfinished() {
      return unfinished;
    },
    read(chunk) {
      waiting.push(chunk);
      unfinished += chunk.length;
      if (wanted !== undefined && unfinished < wanted) return;
      const left = takeAll(waiting.length === 1 ? chunk : Buffer.concat(waiting));
      waiting = left.length > 0 ? [left] : [];
      unfinished = left.length;
    },
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
