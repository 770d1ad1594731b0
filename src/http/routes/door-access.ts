import type { IncomingHttpHeaders } from 'node:http';
import { textOf } from './line-query.ts';

// How clients of other services show their token, and are asked for it.

/**
 * Basic as well as Bearer: many programs send a password only when they are asked for it. Not where a script in a
 * browser asks, for the browser would open its own window for a password and keep the script waiting; nor one who has
 * shown a token, and so knows what to send.
 */
export function challengesFor({ authorization: shown, origin, ...headers }: IncomingHttpHeaders): string[] {
  const mode = headers['sec-fetch-mode'];
  const isScript = origin !== undefined || (mode !== undefined && mode !== 'navigate');
  const hasToken = shown !== undefined && /^(?:bearer|token) /i.test(shown);
  // A line for each: Chromium reads one line as one challenge, older releases of Python the first line only.
  return isScript || hasToken ? ['Bearer'] : ['Basic realm="Pitwall", charset="UTF-8"', 'Bearer'];
}

/** `Token …` and Basic (the token is the password) beside Bearer, and `?u=…&p=…` (the token is p). */
export function authorization(
  headers: IncomingHttpHeaders,
  query: Readonly<Record<string, unknown>>,
): string | undefined {
  const header = headers.authorization;
  const password = textOf(query['p']);
  if (header === undefined) return password === undefined ? undefined : `Bearer ${password}`;
  const [, scheme, credentials] = /^(token|basic) +(\S+) *$/i.exec(header) ?? [];
  if (scheme === undefined || credentials === undefined) return header;
  if (scheme.toLowerCase() === 'token') return `Bearer ${tokenOf(credentials)}`;
  return `Bearer ${tokenOf(Buffer.from(credentials, 'base64').toString())}`;
}

/** Version 1 clients send `user:password`, under Token too. */
function tokenOf(credentials: string): string {
  return credentials.slice(credentials.indexOf(':') + 1);
}
