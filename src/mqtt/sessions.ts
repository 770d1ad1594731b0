import type { Principal } from '../domain/principal.ts';
import { PitwallError } from '../errors.ts';
import type { Subscriber, Subscription } from '../live/subscription.ts';
import { Commands } from './commands.ts';
import type { ReaderMemory } from './reader-memory.ts';
import { keptMs } from './repeats.ts';
import { Session, type SessionFeed } from './session.ts';

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
  /** It ends, for another one of its client id has come. */
  takenOver(): void;
}

/** The most sessions of all clients; each takes some KB, and what waits for it. */
const mostSessions = 50_000;
/** The most sessions of one workspace, so that the next one finds some. */
const mostOfWorkspace = 20_000;

/** Sessions of a workspace, by client id. */
interface OfWorkspace {
  readonly byClient: Map<string, Session>;
  /** Those without a connection; the one that left first is the first. */
  readonly away: Set<Session>;
}

export interface SessionsParts {
  readonly subscriptions: CountedSubscriptions;
  readonly memory: ReaderMemory;
  readonly onLeftOut: (count: number) => void;
  /** A session has ended; another one of its client may begin. */
  readonly onEnded: (session: Session) => void;
  /** Milliseconds. */
  readonly now: () => number;
}

/** The sessions of all clients, by workspace and client id. */
export class Sessions {
  readonly commands = new Commands();
  readonly #byWorkspace = new Map<string, OfWorkspace>();
  #count = 0;
  readonly #held = new Map<Session, Held>();
  readonly #principals = new Map<Session, Principal>();
  readonly #parts: SessionsParts;
  readonly #feed: SessionFeed;

  constructor(parts: SessionsParts) {
    this.#parts = parts;
    const { subscriptions } = parts;
    this.#feed = {
      add: (session, subscription) => subscriptions.add(this.#callerOf(session), subscription),
      remove: (session, subscription) => subscriptions.remove(this.#callerOf(session), subscription),
    };
  }

  /**
   * The session of a client, which another connection of it loses, also one that is still coming in; a new session
   * where there is none, or the client wants to begin anew. A token that may not read gets none of the subscriptions of
   * another one. Throws `overloaded`.
   */
  open(
    principal: Principal,
    clientId: string,
    isClean: boolean,
    held: Held,
  ): { session: Session; isPresent: boolean } {
    const { workspace, tokenId } = principal;
    const before = this.#byWorkspace.get(workspace)?.byClient.get(clientId);
    if (before !== undefined) this.#held.get(before)?.takenOver();
    const isSame = before !== undefined && this.#principals.get(before)?.tokenId === tokenId;
    if (before !== undefined) this.#endInTime(before);
    const isPresent = isSame && !before.hasEnded && before.expiryMs > 0 && !isClean;
    const session = isPresent ? before : this.#begin(workspace, clientId, before);
    session.endsAt = undefined;
    this.#byWorkspace.get(workspace)!.away.delete(session);
    this.#principals.set(session, principal);
    this.#held.set(session, held);
    return { session, isPresent };
  }

  /** The connection has ended; the session goes with it, or when its time is over. */
  release(session: Session, held: Held): void {
    if (this.#held.get(session) !== held) return;
    this.#held.delete(session);
    session.endsAt = this.#parts.now() + session.expiryMs;
    this.#byWorkspace.get(session.workspace)!.away.add(session);
    this.#endInTime(session);
  }

  /** Ends those whose time is over. When a client said goodbye is known as long as what it may send again is kept. */
  tick(): void {
    const now = this.#parts.now();
    for (const { away } of this.#byWorkspace.values())
      for (const session of away) {
        this.#endInTime(session);
        if (session.hasEnded && session.endsAt! - session.expiryMs + keptMs <= now) this.#drop(session);
      }
  }

  #endInTime(session: Session): void {
    if (session.endsAt !== undefined && session.endsAt <= this.#parts.now()) this.#end(session);
  }

  #begin(workspace: string, clientId: string, before: Session | undefined): Session {
    if (before === undefined) this.#makeRoom(workspace);
    else this.#drop(before);
    const { memory, onLeftOut } = this.#parts;
    const session = new Session(workspace, clientId, this.#feed, memory, onLeftOut);
    if (before !== undefined) {
      // What it may send again is a matter of the client, not of what it asks for.
      session.leftAt = before.leftAt;
      session.writing = before.writing;
    }
    const own = this.#byWorkspace.get(workspace) ?? { byClient: new Map(), away: new Set() };
    this.#byWorkspace.set(workspace, own);
    own.byClient.set(clientId, session);
    this.#count++;
    return session;
  }

  /** Throws `overloaded` where all sessions that count have a connection. */
  #makeRoom(workspace: string): void {
    const own = this.#byWorkspace.get(workspace);
    const isFull = own !== undefined && own.byClient.size >= mostOfWorkspace;
    if (!isFull && this.#count < mostSessions) return;
    const others = isFull ? [] : this.#byWorkspace.values();
    for (const { away } of [...(own === undefined ? [] : [own]), ...others]) {
      const [first] = away;
      if (first === undefined) continue;
      this.#drop(first);
      return;
    }
    throw new PitwallError('overloaded', { detail: 'there are as many MQTT clients as there may be' });
  }

  /** Its subscriptions end; what is known of its connections stays for a while. */
  #end(session: Session): void {
    if (session.hasEnded) return;
    session.hasEnded = true;
    session.dropFilters();
    this.commands.drop(session);
    this.#parts.subscriptions.drop(session);
    this.#parts.onEnded(session);
  }

  #drop(session: Session): void {
    this.#end(session);
    this.#held.delete(session);
    this.#principals.delete(session);
    const own = this.#byWorkspace.get(session.workspace)!;
    own.byClient.delete(session.clientId);
    own.away.delete(session);
    if (own.byClient.size === 0) this.#byWorkspace.delete(session.workspace);
    this.#count--;
  }

  #callerOf(session: Session) {
    return { principal: this.#principals.get(session)!, subscriber: session };
  }
}
