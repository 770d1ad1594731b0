import type { Duplex } from 'node:stream';
import type { Admit } from '../auth/admit.ts';
import { hasScope, type Principal } from '../domain/principal.ts';
import { PitwallError } from '../errors.ts';
import type { Client } from './client.ts';
import { sendAccepted, sendRefusal } from './connack.ts';
import { type Accepted, type Login, loginOf, Refusal, readConnect, refusalOf } from './connect.ts';
import { IncomingPackets, type IncomingParts } from './incoming-packets.ts';
import type { IntakeSender } from './intake.ts';
import { BadPacket, type IConnectPacket, type Packet, writePacket } from './packets.ts';
import type { Rebirths } from './rebirths.ts';
import { isLater, Reason } from './refusals.ts';
import type { Outgoing, Outlet, Session } from './session.ts';
import type { Held, Sessions } from './sessions.ts';
import { type SubscribingParts, subscribeAll, unsubscribeAll } from './subscribing.ts';
import { type TakingParts, takeMessages } from './taking.ts';
import type { Wills } from './wills.ts';

/** What all connections share. */
export interface ConnectionParts extends TakingParts, SubscribingParts, IncomingParts {
  readonly admit: Admit;
  readonly sessions: Sessions;
  readonly wills: Wills;
  readonly rebirths: Rebirths;
  readonly maxNameBytes: number;
  /** A client that has so much to take gets no more until it has. */
  readonly maxQueueBytes: number;
  readonly onRefusedClient: (reason: string) => void;
  readonly newId: () => string;
  /** Milliseconds, from any origin. */
  readonly now: () => number;
}

/** A connection, and how the client reached the service. */
export interface Reached {
  readonly stream: Duplex;
  /** The name of the service that the client asked for; undefined where it does not say. */
  readonly host: string | undefined;
  /** The client has come in. */
  readonly onConnected: () => void;
  readonly onClosed: (connection: MqttConnection) => void;
}

/** How often a token is looked up again. */
const loginMs = 20_000;
/** For what was said last to leave; a client that does not take it is cut. */
const lastWordsMs = 2000;

/**
 * A connection of a client. Packets are handled one after the other, messages that came together in one write; while
 * they are, nothing more is read.
 */
export class MqttConnection implements Outlet, Held {
  readonly #parts: ConnectionParts;
  readonly #reached: Reached;
  readonly #packets: IncomingPackets;
  readonly #ending = new AbortController();
  /** Undefined until it has come in. */
  #client: Client | undefined;
  #isWorking = false;
  #isGone = false;
  #heardAt: number;
  #loginAt: number;

  constructor(parts: ConnectionParts, reached: Reached) {
    this.#parts = parts;
    this.#reached = reached;
    this.#heardAt = parts.now();
    this.#loginAt = this.#heardAt;
    this.#packets = new IncomingPackets(parts, (error) => this.#fail(error));
    const { stream } = reached;
    stream.on('data', (chunk: Buffer) => this.#onData(chunk));
    for (const event of ['error', 'end', 'close']) stream.on(event, () => this.#gone(true));
  }

  get session(): Session {
    return this.#client!.session;
  }

  get receiveMaximum(): number {
    return this.#client!.accepted.receiveMaximum;
  }

  publish(
    { topic, payload, qos, retain, time }: Outgoing,
    packetId: number | undefined,
    dup: boolean,
  ): boolean {
    const { stream } = this.#reached;
    const { version, maxPacketBytes } = this.#client!.accepted;
    if (stream.writableLength > this.#parts.maxQueueBytes) return false;
    // What is beside the payload takes less.
    if (payload.length + 4 * topic.length + 64 > maxPacketBytes) return false;
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
    writePacket(stream, packet, version);
    return true;
  }

  takenOver(): void {
    this.end(Reason.TakenOver);
  }

  /** Tells the client why, as far as its version knows that, and ends; its will is written. */
  end(reasonCode: number): void {
    if (this.#isGone) return;
    const { stream } = this.#reached;
    if (this.#client?.accepted.version === 5 && stream.writable)
      writePacket(stream, { cmd: 'disconnect', reasonCode }, 5);
    this.#gone(true);
  }

  /** Comes about once a second. */
  tick(time: number): void {
    const client = this.#client;
    if (client === undefined) return;
    if (!this.#isWorking && time - this.#heardAt > client.accepted.keepAliveMs) this.end(Reason.KeepAlive);
    if (time - this.#loginAt < loginMs) return;
    this.#loginAt = time;
    this.#loginAgain(client);
  }

  async #loginAgain(client: Client): Promise<void> {
    try {
      client.principal = (await client.login()).principal;
    } catch (error) {
      if (error instanceof PitwallError && !isLater(error)) this.end(Reason.NotAuthorized);
    }
  }

  #onData(chunk: Buffer): void {
    if (this.#isGone) return;
    this.#heardAt = this.#parts.now();
    try {
      this.#packets.read(chunk, this.#client?.principal);
    } catch (error) {
      this.#fail(error);
      return;
    }
    if (this.#packets.queue.length === 0 || this.#isWorking) return;
    this.#reached.stream.pause();
    this.#work();
  }

  async #work(): Promise<void> {
    this.#isWorking = true;
    try {
      while (this.#packets.queue.length > 0 && !this.#isGone) {
        if (this.#client === undefined) await this.#enter(this.#packets.queue.shift()!);
        else if (this.#packets.queue[0]!.cmd === 'publish')
          await takeMessages(this.#parts, this.#client, this.#packets.queue);
        else await this.#handle(this.#client, this.#packets.queue.shift()!);
      }
    } catch (error) {
      this.#fail(error);
    }
    this.#isWorking = false;
    this.#heardAt = this.#parts.now();
    if (!this.#isGone) this.#reached.stream.resume();
  }

  async #enter(packet: Packet): Promise<void> {
    if (packet.cmd !== 'connect') throw new BadPacket(`${packet.cmd} before connect`, Reason.ProtocolError);
    const parts = this.#parts;
    try {
      const accepted = readConnect(packet, parts.newId, parts.maxNameBytes);
      const login = loginOf(parts.admit, packet, this.#reached.host);
      const { principal } = await login();
      if (this.#isGone) return;
      const { session, isPresent } = parts.sessions.open(principal, accepted.clientId, accepted.isClean);
      await session.writing.catch(() => undefined);
      if (this.#isGone) return;
      this.#begin(accepted, login, principal, session);
      sendAccepted(this.#reached.stream, accepted, isPresent, parts.maxPacketBytes);
      session.attach(this);
    } catch (error) {
      this.#refuse(packet, refusalOf(error));
    }
  }

  #refuse({ protocolVersion = 4 }: IConnectPacket, refusal: Refusal): void {
    const isLogin = refusal.reasonCode === Reason.NotAuthorized;
    this.#parts.door.refused(isLogin ? 'unauthorized' : 'bad_connect');
    this.#parts.onRefusedClient(refusal.message);
    sendRefusal(this.#reached.stream, refusal, protocolVersion);
    this.#gone(false);
  }

  #begin(accepted: Accepted, login: Login, principal: Principal, session: Session): void {
    const { sessions, wills, rebirths, nextTime } = this.#parts;
    const { workspace, tokenId } = principal;
    const sender: IntakeSender = {
      workspace,
      tokenId,
      clientId: accepted.clientId,
      connectedAt: nextTime(),
      candidatesFrom: session.leftAt,
      numbered: 0,
      rebirth(group, node) {
        const asked = rebirths.ask(workspace, group, node);
        if (asked !== undefined) sessions.route(workspace, { ...asked, retain: false, time: undefined });
      },
    };
    session.expiryMs = accepted.expiryMs;
    const { stream } = this.#reached;
    this.#client = { accepted, login, sender, session, stream, signal: this.#ending.signal, principal };
    wills.cancel(session);
    sessions.hold(this);
    this.#reached.onConnected();
  }

  async #handle(client: Client, packet: Packet): Promise<void> {
    const { session, stream } = client;
    const { version } = client.accepted;
    switch (packet.cmd) {
      case 'pingreq':
        writePacket(stream, { cmd: 'pingresp' }, version);
        break;
      case 'puback':
        session.acknowledged(packet.messageId!);
        break;
      case 'pubrel':
        // Also of a number that is not known, after a restart: what had its PUBREC is on disk, and no client should
        // doubt that.
        session.unreleased.delete(packet.messageId!);
        writePacket(stream, { cmd: 'pubcomp', messageId: packet.messageId!, reasonCode: 0 }, version);
        break;
      case 'subscribe':
        await subscribeAll(this.#parts, client, packet);
        break;
      case 'unsubscribe':
        unsubscribeAll(client, packet);
        break;
      case 'disconnect':
        this.#disconnect(session, packet);
        break;
      default:
        throw new BadPacket(`${packet.cmd} is not for a service`, Reason.ProtocolError);
    }
  }

  #disconnect(
    session: Session,
    { reasonCode = 0, properties }: Extract<Packet, { cmd: 'disconnect' }>,
  ): void {
    const expiryMs = (properties?.sessionExpiryInterval ?? Number.POSITIVE_INFINITY) * 1000;
    session.expiryMs = Math.min(expiryMs, session.expiryMs);
    session.leftAt = this.#parts.nextTime();
    // 0x04: it says goodbye, and has its will written.
    this.#gone(reasonCode === 0x04);
  }

  #fail(error: unknown): void {
    if (this.#isGone) return;
    const isBad = error instanceof BadPacket;
    this.#parts.door.refused(isBad ? 'bad_packet' : 'overloaded');
    this.#parts.onRefusedClient(String((error as Error).message));
    if (this.#client === undefined && /protocol version/.test(String(error)))
      sendRefusal(this.#reached.stream, new Refusal(Reason.BadVersion, 1, ''), 4);
    this.end(isBad ? error.reasonCode : Reason.Quota);
  }

  #gone(hasWill: boolean): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#packets.end();
    this.#ending.abort(new Error('the client has left'));
    const { stream, onClosed } = this.#reached;
    stream.end();
    stream.resume();
    if (!stream.destroyed) setTimeout(() => stream.destroy(), lastWordsMs).unref();
    if (this.#client !== undefined) {
      const { accepted, session, sender, principal } = this.#client;
      session.detach(this);
      this.#parts.sessions.release(this);
      if (hasWill && accepted.will !== undefined && hasScope(principal, 'write'))
        this.#parts.wills.leave(session, sender, accepted.will);
    }
    onClosed(this);
  }
}
