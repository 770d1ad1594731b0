import { PitwallError } from '../errors.ts';

/**
 * The memory that all requests in flight may hold together: bodies as they came, what is made of them, and answers being
 * collected. It bounds the service by configuration rather than by luck.
 *
 * It is shared fairly: a token may hold three times what is left free, a workspace seven times. So one token gets three
 * quarters of it at most, one workspace seven eighths, and the next one always finds some. A request that is alone may
 * take all of it.
 */
export interface ByteBudget {
  /**
   * Starts a request's share, empty. Without an owner it belongs to strangers, who share as one workspace. `onRefused` is
   * called whenever it may not take more.
   */
  open(owner?: Owner, onRefused?: () => void): Reservation;
  readonly used: number;
}

/** Whose memory it is. */
export interface Owner {
  readonly workspace: string;
  readonly tokenId: string;
}

/** One request's share of the budget. */
export interface Reservation {
  /** Takes more bytes, or throws `overloaded` (503), or `bad_request` (400) after the end. 0 bytes are always there. */
  take(bytes: number): void;
  /** Gives everything back. May be called again. */
  release(): void;
  /** Gives everything back, and refuses `take` from now on: the client has left, so nobody would give it back. */
  end(): void;
}

/** How many times what is left free one of them may hold. */
const timesFree = { token: 3, workspace: 7 } as const;

/** No workspace is called so. */
const strangers: Owner = { workspace: '', tokenId: '' };

export function createByteBudget(limitBytes: number): ByteBudget {
  const held: Held = { limitBytes, used: 0, tokens: amounts(), workspaces: amounts() };
  return {
    get used() {
      return held.used;
    },
    open: (owner = strangers, onRefused) => new Share(held, owner, onRefused),
  };
}

/** What all requests hold together. */
interface Held {
  readonly limitBytes: number;
  used: number;
  readonly tokens: Amounts;
  readonly workspaces: Amounts;
}

/** A class: each request has one for as long as it is under way, and closures would take five times its memory. */
class Share implements Reservation {
  private own = 0;
  private ended = false;
  private readonly all: Held;
  private readonly owner: Owner;
  private readonly onRefused: (() => void) | undefined;

  constructor(all: Held, owner: Owner, onRefused: (() => void) | undefined) {
    this.all = all;
    this.owner = owner;
    this.onRefused = onRefused;
  }

  take(bytes: number): void {
    if (this.ended) throw new PitwallError('bad_request', { detail: 'the client left' });
    if (bytes <= 0) return;
    if (!this.hasRoom(bytes)) {
      this.onRefused?.();
      throw new PitwallError('overloaded', { detail: 'too many bytes are in flight; try again soon' });
    }
    this.add(bytes);
  }

  release(): void {
    if (this.own > 0) this.add(-this.own);
  }

  end(): void {
    this.ended = true;
    this.release();
  }

  private hasRoom(bytes: number): boolean {
    const { limitBytes, used, tokens, workspaces } = this.all;
    const free = limitBytes - used - bytes;
    if (free < 0) return false;
    if (used === this.own) return true;
    return (
      tokens.of(this.owner.tokenId) + bytes <= timesFree.token * free &&
      workspaces.of(this.owner.workspace) + bytes <= timesFree.workspace * free
    );
  }

  private add(bytes: number): void {
    this.all.used += bytes;
    this.own += bytes;
    this.all.tokens.add(this.owner.tokenId, bytes);
    this.all.workspaces.add(this.owner.workspace, bytes);
  }
}

interface Amounts {
  of(name: string): number;
  add(name: string, bytes: number): void;
}

/**
 * The most names without bytes that are kept: a map that is emptied with each request makes garbage that lives long.
 */
const keptNames = 100;

/** Bytes by name; names with none are forgotten where there are many. */
function amounts(): Amounts {
  const byName = new Map<string, number>();
  return {
    of: (name) => byName.get(name) ?? 0,

    add(name, bytes) {
      const sum = (byName.get(name) ?? 0) + bytes;
      if (sum === 0 && byName.size > keptNames) byName.delete(name);
      else byName.set(name, sum);
    },
  };
}
