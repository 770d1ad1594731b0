import type { IncomingMessage, ServerResponse } from 'node:http';
import { PitwallError } from '../../errors.ts';

/**
 * Lets pages of other origins use the hub. The official client asks with credentials, so the answer names the origin
 * that asked, never `*`. Preflights carry no token.
 */
export interface Cors {
  /** Adds what a browser looks for in the answer. */
  allow(request: IncomingMessage, response: ServerResponse): void;
  /** @param methods which the path takes */
  preflight(request: IncomingMessage, response: ServerResponse, methods: readonly string[]): void;
  /**
   * Browsers ask nobody before they open a WebSocket: what a page of another origin may not begin is refused here.
   * Programs other than browsers name no origin; pages of the service itself name its host. Throws `forbidden`.
   */
  check(request: IncomingMessage): void;
}

/** `*`, or origins with commas. */
export function createCors(origins: string): Cors {
  const allowed = origins === '*' ? undefined : new Set(origins.split(',').map((origin) => origin.trim()));
  const allow: Cors['allow'] = (request, response) => {
    response.setHeader('Vary', 'Origin');
    const { origin } = request.headers;
    if (origin === undefined || allowed?.has(origin) === false) return;
    response.setHeader('Access-Control-Allow-Origin', origin);
    response.setHeader('Access-Control-Allow-Credentials', 'true');
    response.setHeader('Access-Control-Expose-Headers', 'Retry-After, WWW-Authenticate');
  };
  return {
    allow,

    check({ headers: { origin, host } }) {
      if (origin === undefined || allowed === undefined || allowed.has(origin)) return;
      if (host !== undefined && hostOf(origin) === host.toLowerCase()) return;
      throw new PitwallError('forbidden', { detail: 'pages of this origin may not use the hub' });
    },

    preflight(request, response, methods) {
      allow(request, response);
      response.writeHead(204, {
        'Access-Control-Allow-Methods': methods.join(', '),
        // Users add headers of their own to the official client, so those asked for are those allowed.
        'Access-Control-Allow-Headers': request.headers['access-control-request-headers'] ?? usualHeaders,
        'Access-Control-Max-Age': '86400',
      });
      response.end();
    },
  };
}

/** The host, with its port where the origin names one; undefined for an origin that has none. */
function hostOf(origin: string): string | undefined {
  return /^https?:\/\/(.+)$/i.exec(origin)?.[1]?.toLowerCase();
}

const usualHeaders = 'authorization, content-type, x-requested-with, x-signalr-user-agent';
