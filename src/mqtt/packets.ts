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

/** What the library has of the packet that it reads: its length stands there before its bytes have come; -1 before. */
interface Reading extends Parser {
  readonly packet: { readonly length: number };
}

/**
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
  let unfinished = 0;
  reading.on('packet', (packet) => {
    if (failed === undefined) onPacket(packet);
  });
  reading.on('error', (error: Error) => {
    failed = error;
  });
  return {
    get unfinished() {
      return unfinished;
    },
    read(chunk) {
      unfinished = reading.parse(chunk);
      if (failed !== undefined) throw new BadPacket(failed.message);
      if (reading.packet.length > maxBytes)
        throw new BadPacket(`a packet of ${reading.packet.length} bytes; ${maxBytes} are allowed`, 0x95);
    },
  };
}

/** Writes a packet; false where the other side is slow to take what waits. */
export function writePacket(stream: Duplex, packet: Packet, version: Version): boolean {
  return library!.writeToStream(packet, stream, { protocolVersion: version });
}
