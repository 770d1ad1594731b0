import type { Principal } from '../domain/principal.ts';
import { PitwallError } from '../errors.ts';
import type { Subscriber, Subscription } from '../live/subscription.ts';
import { keptMs } from './repeats.ts';
import { type Outgoing, Session, type SessionFeed } from './session.ts';

/** Subscriptions of all connections, counted by token, as the hub has them. */
export interface CountedSubscriptions {
  add(
    caller: { readonly principal: Principal; readonly subscriber: Subscriber },
    subscription: Subscription,
  ): void;
  remove(
    caller: { readonly principal: Principal; readonly subscriber: Subscriber },
    subscription: Subscription,
  ): void;
  drop(subscriber: Subscriber): void;
}

/** A connection, as the one that comes after it sees it. */
export interface Held {
  readonly session: Session;
  /** It ends, for another one of its client id has come. */
  takenOver(): void;
}

/** Of all clients; each takes some KB, and what waits for it. */
const mostSessions = 50_000;

/** The sessions of all clients, by workspace and client id. */
export class Sessions {
  readonly #byKey = new Map<string, Session>();
  readonly #held = new Map<Session, Held>();
  readonly #principals = new Map<Session, Principal>();
  readonly #subscriptions: CountedSubscriptions;
  readonly #onLeftOut: (count: number) => void;
  readonly #now: () => number;
  readonly #feed: SessionFeed;

  /** @param now milliseconds */
  constructor(subscriptions: CountedSubscriptions, onLeftOut: (count: number) => void, now: () => number) {
    this.#subscriptions = subscriptions;
    this.#onLeftOut = onLeftOut;
    this.#now = now;
    this.#feed = {
      add: (session, subscription) => subscriptions.add(this.#callerOf(session), subscription),
      remove: (session, subscription) => subscriptions.remove(this.#callerOf(session), subscription),
    };
  }

  /**
   * The session of a client, which another connection of it loses; a new one where there is none, or the client wants
   * to begin anew. A token that may not read gets none of the subscriptions of another one. Throws `overloaded`.
   */
  open(principal: Principal, clientId: string, isClean: boolean): { session: Session; isPresent: boolean } {
    const key = `${principal.workspace}\n${clientId}`;
    const before = this.#byKey.get(key);
    if (before !== undefined) this.#held.get(before)?.takenOver();
    const isPresent =
      before !== undefined &&
      before.expiryMs > 0 &&
      !isClean &&
      this.#principals.get(before)?.tokenId === principal.tokenId;
    if (isPresent) {
      this.#principals.set(before, principal);
      return { session: before, isPresent };
    }
    if (before === undefined && this.#byKey.size >= mostSessions && !this.#makeRoom())
      throw new PitwallError('overloaded', { detail: 'there are as many MQTT clients as there may be' });
    if (before !== undefined) this.#drop(before);
    const session = new Session(principal.workspace, clientId, this.#feed, this.#onLeftOut);
    if (before !== undefined) {
      // What it may send again is a matter of the client, not of what it asks for.
      session.leftAt = before.leftAt;
      session.writing = before.writing;
    }
    this.#byKey.set(key, session);
    this.#principals.set(session, principal);
    return { session, isPresent: false };
  }

  hold(held: Held): void {
    this.#held.set(held.session, held);
  }

  /** The connection has ended; the session goes with it, or when its time is over. */
  release(held: Held): void {
    const { session } = held;
    if (this.#held.get(session) !== held) return;
    this.#held.delete(session);
    // When its client said goodbye is known as long as what it may send again is kept.
    session.endsAt = this.#now() + Math.max(session.expiryMs, keptMs);
    if (session.expiryMs === 0) this.#endFeeds(session);
  }

  /** Sends a message to all in the workspace that have subscribed to its topic. */
  route(workspace: string, message: Omit<Outgoing, 'qos'>): void {
    for (const session of this.#byKey.values()) {
      if (session.workspace !== workspace) continue;
      const qos = session.qosOf(message.topic);
      if (qos !== undefined) session.send({ ...message, qos });
    }
  }

  /** Ends those whose time is over. */
  tick(): void {
    const now = this.#now();
    for (const session of this.#byKey.values()) {
      if (session.endsAt === undefined || session.endsAt > now) continue;
      this.#drop(session);
      this.#byKey.delete(`${session.workspace}\n${session.clientId}`);
    }
  }

  #makeRoom(): boolean {
    for (const [key, session] of this.#byKey) {
      if (session.endsAt === undefined) continue;
      this.#drop(session);
      this.#byKey.delete(key);
      return true;
    }
    return false;
  }

  /** Its subscriptions end; what is known of its connections stays for a while. */
  #endFeeds(session: Session): void {
    session.dropFilters();
    this.#subscriptions.drop(session);
  }

  #drop(session: Session): void {
    this.#endFeeds(session);
    this.#held.delete(session);
    this.#principals.delete(session);
  }

  #callerOf(session: Session) {
    return { principal: this.#principals.get(session)!, subscriber: session };
  }
}
