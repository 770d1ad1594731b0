import type { Duplex } from 'node:stream';
import type { Admit } from '../auth/admit.ts';
import type { Principal } from '../domain/principal.ts';
import { PitwallError } from '../errors.ts';
import type { Client } from './client.ts';
import { sendAccepted, sendRefusal } from './connack.ts';
import {
  type Accepted,
  expiryMsOf,
  type Login,
  loginOf,
  Refusal,
  readConnect,
  refusalOf,
} from './connect.ts';
import { takeBytes, takeEnd } from './incoming-bytes.ts';
import { IncomingPackets, type IncomingParts } from './incoming-packets.ts';
import type { IntakeSender } from './intake.ts';
import type { WatchFrames } from './listen.ts';
import { answersLeft, ClientOutlet, type OutletLimits } from './outlet.ts';
import { BadPacket, type IConnectPacket, type Packet, writePacket } from './packets.ts';
import type { Rebirths } from './rebirths.ts';
import { causeOf, isLater, Reason } from './refusals.ts';
import type { Session } from './session.ts';
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
  readonly outgoing: OutletLimits;
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
  readonly watchFrames?: WatchFrames | undefined;
  readonly onClosed: (connection: MqttConnection) => void;
}

/** How often a token is looked up again. */
const loginMs = 20_000;
/** How long what was said last may take to leave; a client that does not take it is cut. */
const lastWordsMs = 2000;

/**
 * A connection of a client. Packets are handled one after the other, messages that came together in one write; while
 * they are, nothing more is read.
 */
export class MqttConnection implements Held {
  readonly #parts: ConnectionParts;
  readonly #reached: Reached;
  readonly #packets: IncomingPackets;
  readonly #ending = new AbortController();
  /** Undefined until it has come in. */
  #client: Client | undefined;
  /** It has this one since it comes in. */
  #session: Session | undefined;
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
    stream.on('drain', () => this.#client?.session.queue.drain());
    takeBytes(
      stream,
      (chunk) => this.#onData(chunk),
      () => this.#isWorking,
    );
    reached.watchFrames?.((bytes) => this.#isGone || this.#packets.framed(bytes));
    takeEnd(stream, () => this.#gone(true));
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

  /** Comes about once a second; gives how many bytes wait in the socket. */
  tick(time: number): number {
    if (this.#client !== undefined) this.#look(this.#client, time);
    return this.#reached.stream.writableLength;
  }

  #look(client: Client, time: number): void {
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
    // What a client sends that is gone is thrown away.
    if (this.#isGone) return;
    this.#heardAt = this.#parts.now();
    this.#packets.read(chunk);
    if (this.#isGone || this.#isWorking || !this.#packets.hasWork) return;
    this.#reached.stream.pause();
    this.#work();
  }

  /** Whether there are packets to be handled. What was answered before has left, so that no client has them pile up. */
  async #more(): Promise<boolean> {
    if (this.#packets.queue.length === 0) await answersLeft(this.#reached.stream);
    return this.#packets.next();
  }

  async #work(): Promise<void> {
    this.#isWorking = true;
    try {
      while (!this.#isGone && (await this.#more())) {
        if (this.#isGone) break;
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
      const { clientId, isClean } = accepted;
      const { session, isPresent } = parts.sessions.open(principal, clientId, isClean, this);
      this.#session = session;
      await session.writing.catch(() => undefined);
      // Another connection may have taken the session over meanwhile, and ended this one.
      if (this.#isGone) return;
      const { outlet } = this.#begin(accepted, login, principal, session);
      sendAccepted(this.#reached.stream, accepted, isPresent, parts.maxPacketBytes);
      session.queue.attach(outlet);
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

  #begin(accepted: Accepted, login: Login, principal: Principal, session: Session): Client {
    const { sessions, wills, rebirths, nextTime, outgoing } = this.#parts;
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
        if (asked !== undefined)
          sessions.commands.route(workspace, { ...asked, retain: false, time: undefined });
      },
    };
    session.expiryMs = accepted.expiryMs;
    const { stream } = this.#reached;
    const outlet = new ClientOutlet(stream, accepted, outgoing);
    const { signal } = this.#ending;
    const client: Client = { accepted, login, sender, session, stream, outlet, signal, principal };
    this.#client = client;
    this.#packets.entered(principal);
    wills.cancel(session);
    this.#reached.onConnected();
    return client;
  }

  async #handle(client: Client, packet: Packet): Promise<void> {
    const { session, stream } = client;
    const { version } = client.accepted;
    switch (packet.cmd) {
      case 'pingreq':
        writePacket(stream, { cmd: 'pingresp' }, version);
        break;
      case 'puback':
        session.queue.acknowledged(packet.messageId!);
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
        unsubscribeAll(this.#parts, client, packet);
        break;
      case 'disconnect':
        this.#disconnect(client, packet);
        break;
      default:
        throw new BadPacket(`${packet.cmd} is not for a service`, Reason.ProtocolError);
    }
  }

  #disconnect(
    { session, accepted }: Client,
    { reasonCode = 0, properties }: Extract<Packet, { cmd: 'disconnect' }>,
  ): void {
    const asked = properties?.sessionExpiryInterval;
    if (asked !== undefined && asked > 0 && accepted.expiryMs === 0)
      throw new BadPacket('a session that was not to be kept, and now is', Reason.ProtocolError);
    if (asked !== undefined) session.expiryMs = expiryMsOf(asked);
    session.leftAt = this.#parts.nextTime();
    // 0x04: it says goodbye, and has its will written.
    this.#gone(reasonCode === 0x04);
  }

  #fail(error: unknown): void {
    if (this.#isGone) return;
    const { reason, code } = causeOf(error);
    this.#parts.door.refused(reason);
    this.#parts.onRefusedClient(String((error as Error).message));
    const { stream } = this.#reached;
    if (this.#client === undefined && /protocol version/.test(String(error)))
      sendRefusal(stream, new Refusal(Reason.BadVersion, 1, ''), 4);
    // To a stranger nothing else is said.
    else if (this.#client === undefined) stream.destroy();
    this.end(code);
  }

  #gone(hasWill: boolean): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#packets.end();
    this.#ending.abort(new Error('the client has left'));
    const { stream, onClosed } = this.#reached;
    // Of a client that has ended its side, and has all that it gets.
    if (stream.readableEnded && stream.writableLength === 0) stream.destroy();
    else stream.end();
    stream.resume();
    if (!stream.destroyed) setTimeout(() => stream.destroy(), lastWordsMs).unref();
    if (this.#client !== undefined) {
      const { accepted, session, outlet } = this.#client;
      session.queue.detach(outlet);
      if (hasWill && accepted.will !== undefined) this.#parts.wills.leave(this.#client, accepted.will);
    }
    if (this.#session !== undefined) this.#parts.sessions.release(this.#session, this);
    onClosed(this);
  }
}
