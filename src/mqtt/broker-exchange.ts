import type { Socket } from 'node:net';
import type { Principal } from '../domain/principal.ts';
import type { Log } from '../log.ts';
import { nextTurn } from '../turns/rest.ts';
import type { BrokerAddress } from './broker-address.ts';
import type { MqttDoor } from './core.ts';
import type { IntakeSender } from './intake.ts';
import { type Packet, PacketReader, type Version, writePacket } from './packets.ts';
import type { Rebirths } from './rebirths.ts';
import { mostUnderWay } from './repeats.ts';
import { type TakingClient, takeMessages } from './taking.ts';

export interface BrokerLinkOptions {
  readonly door: MqttDoor;
  readonly address: BrokerAddress;
  readonly filters: readonly string[];
  readonly clientId: string;
  /** Of what it brings. */
  readonly workspace: string;
  readonly maxPacketBytes: number;
  readonly log: Log;
}

export interface ExchangeParts {
  readonly socket: Socket;
  readonly version: Version;
  /** Aborts when the connection ends. */
  readonly signal: AbortSignal;
  readonly rebirths: Rebirths;
  readonly onOpen: () => void;
  /** The broker does not know this version. */
  readonly onOldBroker: () => void;
}

const keepAliveS = 30;
/** How long what was said last may take to leave. */
const lastWordsMs = 2000;
/** The session expiry of MQTT 5 that means never. */
const neverExpires = 0xffffffff;

/** What is said over one connection to a broker. */
export class BrokerExchange {
  readonly #queue: Packet[] = [];
  readonly #reader: PacketReader;
  #hasMore = false;
  /** The broker has let the service in. */
  isOpen = false;
  readonly #options: BrokerLinkOptions;
  readonly #parts: ExchangeParts;
  readonly #client: TakingClient;
  #isWorking = false;
  /** Numbers of what nodes of Sparkplug were asked, without an acknowledgement yet. */
  readonly #asked = new Set<number>();
  #lastId = 1;
  #heardAt = performance.now();
  #pings: NodeJS.Timeout | undefined;

  constructor(options: BrokerLinkOptions, parts: ExchangeParts) {
    this.#options = options;
    this.#parts = parts;
    this.#reader = new PacketReader(
      options.maxPacketBytes,
      (packet) => this.#queue.push(packet),
      parts.version,
    );
    const { workspace, clientId } = options;
    const principal: Principal = { tokenId: 'mqtt broker', workspace, scopes: ['write'] };
    const sender: IntakeSender = {
      workspace,
      tokenId: principal.tokenId,
      clientId,
      connectedAt: options.door.nextTime(),
      candidatesFrom: undefined,
      numbered: 0,
      rebirth: (group, node) => this.#askBirth(group, node),
    };
    const { socket: stream, signal, version } = parts;
    const accepted = { version, wantsReasons: true };
    const session = { unreleased: new Map<number, string>(), writing: Promise.resolve() };
    this.#client = { accepted, session, sender, stream, signal, principal };
  }

  begin(): void {
    const { clientId, address } = this.#options;
    const { socket, version } = this.#parts;
    const { user, password } = address;
    const { maxPacketBytes: maximumPacketSize } = this.#options;
    const properties = {
      sessionExpiryInterval: neverExpires,
      receiveMaximum: mostUnderWay,
      maximumPacketSize,
    };
    writePacket(
      socket,
      {
        cmd: 'connect',
        protocolId: 'MQTT',
        protocolVersion: version,
        clientId,
        clean: false,
        keepalive: keepAliveS,
        ...(user !== undefined && { username: user }),
        ...(password !== undefined && { password: Buffer.from(password) }),
        ...(version === 5 && { properties }),
      },
      version,
    );
  }

  /** Handles what came, in order; nothing more is read meanwhile. Rejects where the connection is to end. */
  async read(chunk: Buffer): Promise<void> {
    this.#heardAt = performance.now();
    this.#hasMore = this.#reader.read(chunk);
    if (this.#isWorking) return;
    this.#isWorking = true;
    const { socket } = this.#parts;
    socket.pause();
    do {
      await this.#work();
      await nextTurn();
      if (this.#hasMore) this.#hasMore = this.#reader.readOn();
    } while (this.#queue.length > 0);
    this.#isWorking = false;
    this.#heardAt = performance.now();
    socket.resume();
  }

  async #work(): Promise<void> {
    const { door, maxPacketBytes } = this.#options;
    const parts = { ...door, maxPacketBytes, retainedAreOld: true } as const;
    while (this.#queue.length > 0) {
      if (this.#queue[0]!.cmd !== 'publish') this.#handle(this.#queue.shift()!);
      else await takeMessages(parts, this.#client, this.#queue);
    }
  }

  /** The service stops. */
  goodbye(): void {
    const { socket, version } = this.#parts;
    if (this.isOpen && socket.writable) writePacket(socket, { cmd: 'disconnect', reasonCode: 0 }, version);
    if (this.isOpen) socket.end();
    else socket.destroy();
    setTimeout(() => socket.destroy(), lastWordsMs).unref();
  }

  end(): void {
    clearInterval(this.#pings);
    this.#queue.length = 0;
    this.#hasMore = false;
    if (this.#asked.size > 0) this.#parts.rebirths.unanswered();
  }

  #handle(packet: Packet): void {
    const { socket, version } = this.#parts;
    switch (packet.cmd) {
      case 'connack':
        this.#enter((version === 5 ? packet.reasonCode : packet.returnCode) ?? 0);
        break;
      case 'suback':
        this.#checkGranted(packet.granted as number[]);
        break;
      case 'puback':
        this.#asked.delete(packet.messageId!);
        if ((packet.reasonCode ?? 0) >= 0x80) this.#parts.rebirths.refused();
        else this.#parts.rebirths.answered();
        break;
      case 'pubrel':
        writePacket(socket, { cmd: 'pubcomp', messageId: packet.messageId!, reasonCode: 0 }, version);
        break;
      case 'disconnect':
        throw new Error(`the broker ends the connection with the reason ${packet.reasonCode ?? 0}`);
    }
  }

  #enter(code: number): void {
    const { socket, version, onOldBroker, onOpen } = this.#parts;
    if (code === 1 || code === 0x84) onOldBroker();
    if (code !== 0) throw new Error(`the broker refuses the login with the code ${code}`);
    this.isOpen = true;
    onOpen();
    const subscriptions = this.#options.filters.map((topic) => ({ topic, qos: 1 as const, rh: 1 }));
    writePacket(socket, { cmd: 'subscribe', messageId: 1, subscriptions }, version);
    this.#pings = setInterval(() => this.#ping(), (keepAliveS * 1000) / 3);
  }

  #checkGranted(granted: readonly number[]): void {
    const { filters, address, log, door } = this.#options;
    for (const [i, code] of granted.entries()) {
      if (code < 0x80) continue;
      door.door.refused('refused_filter');
      log.error({ broker: address.shown, filter: filters[i], code }, 'the MQTT broker refuses a filter');
    }
  }

  #ping(): void {
    const { socket, version } = this.#parts;
    const isSilent = performance.now() - this.#heardAt > keepAliveS * 1500;
    if (isSilent && !this.#isWorking) socket.destroy(new Error('the broker is silent'));
    else writePacket(socket, { cmd: 'pingreq' }, version);
  }

  #askBirth(group: string, node: string): void {
    const { socket, version, rebirths } = this.#parts;
    const asked = rebirths.ask(this.#options.workspace, group, node);
    if (asked === undefined) return;
    // With an acknowledgement, which tells whether the service may publish there.
    this.#lastId = (this.#lastId % 0xffff) + 1;
    const messageId = this.#lastId;
    this.#asked.add(messageId);
    writePacket(socket, { cmd: 'publish', ...asked, messageId, qos: 1, dup: false, retain: false }, version);
  }
}
