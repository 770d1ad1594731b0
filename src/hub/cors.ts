import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * Lets pages of other origins use the hub. The official client asks with credentials, so the answer names the origin
 * that asked, never `*`. Preflights carry no token.
 */
export interface Cors {
  /** Adds what a browser looks for in the answer. */
  allow(request: IncomingMessage, response: ServerResponse): void;
  preflight(request: IncomingMessage, response: ServerResponse): void;
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
    preflight(request, response) {
      allow(request, response);
      response.writeHead(204, {
        'Access-Control-Allow-Methods': 'GET, POST, DELETE',
        // Users add headers of their own to the official client, so those asked for are those allowed.
        'Access-Control-Allow-Headers': request.headers['access-control-request-headers'] ?? usualHeaders,
        'Access-Control-Max-Age': '86400',
      });
      response.end();
    },
  };
}

const usualHeaders = 'authorization, content-type, x-requested-with, x-signalr-user-agent';
