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
  let used = 0;
  const tokens = amounts();
  const workspaces = amounts();
  return {
    get used() {
      return used;
    },
    open({ workspace, tokenId } = strangers, onRefused) {
      let held = 0;
      let ended = false;
      const add = (bytes: number): void => {
        used += bytes;
        held += bytes;
        tokens.add(tokenId, bytes);
        workspaces.add(workspace, bytes);
      };
      const hasRoom = (bytes: number): boolean => {
        const free = limitBytes - used - bytes;
        if (free < 0) return false;
        if (used === held) return true;
        return (
          tokens.of(tokenId) + bytes <= timesFree.token * free &&
          workspaces.of(workspace) + bytes <= timesFree.workspace * free
        );
      };
      const release = (): void => {
        if (held > 0) add(-held);
      };
      return {
        take(bytes) {
          if (ended) throw new PitwallError('bad_request', { detail: 'the client left' });
          if (bytes <= 0) return;
          if (!hasRoom(bytes)) {
            onRefused?.();
            throw new PitwallError('overloaded', { detail: 'too many bytes are in flight; try again soon' });
          }
          add(bytes);
        },
        release,
        end() {
          ended = true;
          release();
        },
      };
    },
  };
}

/** Bytes by name; a name with none is forgotten. */
function amounts() {
  const byName = new Map<string, number>();
  return {
    of: (name: string): number => byName.get(name) ?? 0,

    add(name: string, bytes: number): void {
      const sum = (byName.get(name) ?? 0) + bytes;
      if (sum === 0) byName.delete(name);
      else byName.set(name, sum);
    },
  };
}
