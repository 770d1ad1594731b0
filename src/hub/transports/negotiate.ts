import { PitwallError } from '../../errors.ts';
import type { Opened } from '../connection/connections.ts';

/** Clients try the transports in this order, and some take their protocol from the first format. */
const availableTransports = [
  { transport: 'WebSockets', transferFormats: ['Text', 'Binary'] },
  { transport: 'ServerSentEvents', transferFormats: ['Text'] },
  { transport: 'LongPolling', transferFormats: ['Text', 'Binary'] },
] as const;

/**
 * The answer to `POST /hub/negotiate` (TransportProtocols.md), always with status 200: a refusal is a text that
 * clients show. In version 1 the secret is `connectionToken` and the id is public; in version 0 the id is the secret.
 */
export function negotiate(version: string | undefined, open: () => Opened): object {
  const asked = version === undefined || version === '' ? 0 : Number(version);
  if (!Number.isInteger(asked) || asked < 0) {
    return { error: `The client requested an invalid protocol version '${version?.slice(0, 32)}'` };
  }
  let opened: Opened;
  try {
    opened = open();
  } catch (error) {
    if (error instanceof PitwallError) return { error: error.message };
    throw error;
  }
  const { connection, token } = opened;
  if (asked === 0) return { negotiateVersion: 0, connectionId: token, availableTransports };
  return { negotiateVersion: 1, connectionId: connection.id, connectionToken: token, availableTransports };
}
