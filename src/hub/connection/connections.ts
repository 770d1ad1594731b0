import { randomBytes } from 'node:crypto';
import { PitwallError } from '../../errors.ts';
import { type Connection, type ConnectionParts, createConnection } from './connection.ts';
import type { Credentials } from './held-credentials.ts';

/**
 * The connections of this node. A client's requests name their connection by a secret, `<node>.<random>`: a load
 * balancer finds the node by the first part, without cookies. Other nodes do not know the connection.
 */
export interface Connections {
  readonly count: number;
  /** Throws `overloaded` (503) where the token has as many as it may. */
  open(credentials: Credentials, int64AsString: boolean): Opened;
  /** By the secret, never by the public id. */
  find(token: string): Connection | undefined;
  /** Looks at all deadlines. */
  tick(): void;
  /** Says goodbye to everyone, after the calls in flight are answered; resolves when all have gone. */
  stop(): Promise<void>;
}

export interface Opened {
  readonly connection: Connection;
  readonly token: string;
}

export interface ConnectionsParts
  extends Omit<ConnectionParts, 'id' | 'credentials' | 'int64AsString' | 'onClosed'> {
  readonly node: string;
}

export function createConnections(parts: ConnectionsParts): Connections {
  const byToken = new Map<string, Connection>();
  const perToken = new Map<string, number>();
  let onEmpty: (() => void) | undefined;
  return {
    get count() {
      return byToken.size;
    },

    open(credentials, int64AsString) {
      const { tokenId } = credentials.principal;
      const held = perToken.get(tokenId) ?? 0;
      const { maxConnectionsPerToken } = parts.limits;
      if (held >= maxConnectionsPerToken) {
        throw new PitwallError('overloaded', {
          detail: `the token has ${held} connections; ${maxConnectionsPerToken} are allowed at one time`,
        });
      }
      const token = `${parts.node}.${randomBytes(16).toString('base64url')}`;
      const connection = createConnection({
        ...parts,
        id: randomBytes(16).toString('base64url'),
        credentials,
        int64AsString,
        onClosed() {
          byToken.delete(token);
          const left = perToken.get(tokenId)! - 1;
          if (left === 0) perToken.delete(tokenId);
          else perToken.set(tokenId, left);
          if (byToken.size === 0) onEmpty?.();
        },
      });
      perToken.set(tokenId, held + 1);
      byToken.set(token, connection);
      return { connection, token };
    },

    find: (token) => byToken.get(token),

    tick() {
      for (const connection of [...byToken.values()]) connection.tick();
    },

    async stop() {
      for (const connection of [...byToken.values()])
        connection.apply('stopping', 'The service is stopping.');
      if (byToken.size === 0) return;
      await new Promise<void>((resolve) => {
        onEmpty = resolve;
      });
    },
  };
}
