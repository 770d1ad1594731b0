import type { ByteBudget } from '../ingest/byte-budget.ts';
import type { Calls } from './calls.ts';
import type { ConnectionLife } from './connection-life.ts';
import type { ConnectionOutput } from './connection-output.ts';
import { handshakeAccepted, readHandshake } from './handshake-protocol.ts';
import type { HubLimits } from './hub-limits.ts';
import type { HubProtocol } from './hub-message.ts';
import { createIncoming } from './incoming.ts';
import type { KeepAlive } from './keep-alive.ts';
import { textMessageFormat } from './message-formats.ts';

/** The way of messages from the client: the handshake first, then calls, as fast as they can be taken. */
export interface ConnectionInput {
  /** What the handshake has fixed; undefined before. */
  readonly protocol: HubProtocol | undefined;
  push(chunk: Buffer): void;
  /** Takes messages for as long as there are whole ones and nothing stands in the way. */
  work(): void;
  /** Forgets what is not taken. */
  clear(): void;
}

export interface ConnectionInputParts {
  readonly limits: HubLimits;
  readonly int64AsString: boolean;
  readonly budget: ByteBudget;
  readonly life: ConnectionLife;
  readonly keepAlive: KeepAlive;
  readonly output: ConnectionOutput;
  readonly calls: Calls;
}

/** A handshake request has two short fields. */
const maxHandshakeBytes = 4096;

export function createConnectionInput(parts: ConnectionInputParts): ConnectionInput {
  const { limits, life, keepAlive, output, calls } = parts;
  const incoming = createIncoming(parts.budget, limits.maxUnfinishedBytes);
  let protocol: HubProtocol | undefined;

  const shakeHands = (): void => {
    const message = incoming.next(textMessageFormat, maxHandshakeBytes);
    if (message === undefined) return;
    try {
      protocol = readHandshake(message, {
        int64AsString: parts.int64AsString,
        maxDepth: limits.maxDepth,
        textOnly: output.transport!.name === 'ServerSentEvents',
      });
    } catch (error) {
      life.apply('refused', (error as Error).message);
      return;
    }
    output.send(handshakeAccepted);
    life.apply('accepted');
  };

  const take = (message: Buffer): void => {
    const parsed = protocol!.parse(message);
    switch (parsed.kind) {
      case 'ping':
        keepAlive.pinged();
        break;
      case 'close':
        life.apply('left');
        break;
      case 'invocation':
        calls.begin(parsed, message.length);
    }
  };

  const takesCalls = (): boolean =>
    (life.state === 'connected' || life.state === 'finishing') && !calls.isBlocked && calls.hasRoom();

  return {
    get protocol() {
      return protocol;
    },

    push: incoming.push,

    work() {
      life.attempt(() => {
        if (life.state === 'negotiated') incoming.checkUnfinished();
        if (life.state === 'handshaking') shakeHands();
        while (takesCalls()) {
          const message = incoming.next(protocol!.framing, limits.maxMessageBytes);
          if (message === undefined) {
            incoming.checkUnfinished();
            break;
          }
          take(message);
        }
        incoming.count();
      });
      if (!calls.isBlocked) calls.release();
      if (calls.isIdle) life.apply('idle');
    },

    clear: incoming.clear,
  };
}
