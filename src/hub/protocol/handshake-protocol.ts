import { PitwallError } from '../../errors.ts';
import { decodeJson } from '../../wire/json/value.ts';
import type { HubProtocol, ProtocolOptions } from './hub-message.ts';
import { jsonHubProtocol } from './json-hub-protocol.ts';
import { textMessage } from './message-formats.ts';
import { messagePackHubProtocol } from './messagepack-hub-protocol.ts';

/**
 * The handshake, in JSON whatever follows (HubProtocol.md, "Handshake"):
 *
 *   in   { protocol: "json" | "messagepack", version: 0 to 2 }
 *   out  {} or { error }
 *
 * Versions differ only in messages that are not spoken here, and some clients send 0.
 */
const newestVersion = 2;

export interface HandshakeOptions extends ProtocolOptions {
  /** Server-Sent Events carry text only. */
  readonly textOnly: boolean;
}

/** Reads the request. Throws an Error whose message is for the client. */
export function readHandshake(message: Uint8Array, options: HandshakeOptions): HubProtocol {
  const { protocol, version } = fieldsOf(message);
  if (protocol !== 'json' && protocol !== 'messagepack') {
    throw new Error(`The protocol '${protocol}' is not supported.`);
  }
  if (version < 0 || version > newestVersion) {
    throw new Error(`The server does not support version ${version} of the '${protocol}' protocol.`);
  }
  if (protocol === 'json') return jsonHubProtocol(options);
  if (options.textOnly) {
    throw new Error(
      "Cannot use the 'messagepack' protocol on the current transport. The transport does not support 'Binary' transfer format.",
    );
  }
  return messagePackHubProtocol(options);
}

function fieldsOf(message: Uint8Array): { protocol: string; version: number } {
  try {
    const request = decodeJson(message);
    if (request instanceof Map) {
      const protocol: unknown = request.get('protocol');
      const version: unknown = request.get('version');
      if (
        typeof protocol === 'string' &&
        typeof version === 'object' &&
        version !== null &&
        'value' in version
      ) {
        return { protocol: protocol.slice(0, 64), version: Number(version.value) };
      }
    }
  } catch (error) {
    if (!(error instanceof PitwallError)) throw error;
  }
  throw new Error('The first message must be a handshake request with a protocol and a version.');
}

export const handshakeAccepted = textMessage('{}');

export function handshakeError(reason: string): Buffer {
  return textMessage(JSON.stringify({ error: reason }));
}
