import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import { addressIn, portOf, type WebhookHosts } from '../../alerts/webhook-hosts.ts';
import type { Webhook } from '../../domain/alert.ts';
import type { Resolve } from './resolve.ts';

/** What became of a try. */
export type Outcome =
  | { readonly isDelivered: true }
  | {
      readonly isDelivered: false;
      /** Why, without addresses and secrets: readers are shown it. */
      readonly problem: string;
      /** What the receiver asked to wait (ms). */
      readonly retryAfterMs?: number;
    };

/**
 * Tries once to send a message; never rejects. It is delivered where the answer has a status from 200 to 299. Redirects
 * are not followed.
 *
 * @param attempt from 0 on: each goes to the next address of the host
 */
export type Post = (
  webhook: Webhook,
  message: { readonly id: string; readonly text: string },
  attempt: number,
  signal: AbortSignal,
) => Promise<Outcome>;

export interface PostOptions {
  readonly hosts: WebhookHosts;
  readonly resolve: Resolve;
  /** For the whole of a try. */
  readonly timeoutMs?: number;
}

const defaultTimeoutMs = 10_000;

/** The bytes of the body of an answer after which the connection is closed: nobody reads them. */
const maxAnswerBytes = 64 << 10;

export function createPost({ hosts, resolve, timeoutMs = defaultTimeoutMs }: PostOptions): Post {
  return async (webhook, message, attempt, signal) => {
    const url = new URL(webhook.url);
    if (!hosts.allows(url)) return failed('--webhook-allow does not name its host any more');
    // Not AbortSignal.any: it would stay with the signal of the service.
    const end = new AbortController();
    const stop = (): void => end.abort(new Error('the service was stopped'));
    const late = new Error(`there was no answer within ${timeoutMs / 1000} s`);
    const timer = setTimeout(() => end.abort(late), timeoutMs);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    try {
      const addresses = await untilAborted(resolve(url), end.signal);
      const address = addresses[attempt % addresses.length]!;
      return await send(url, address, webhook, message, end.signal);
    } catch (error) {
      return failed(problemOf(end.signal.aborted ? end.signal.reason : error));
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
    }
  };
}

function untilAborted<Result>(promise: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

/** Rejects where no answer came. */
function send(
  url: URL,
  address: string,
  { headers = {} }: Webhook,
  { id, text }: { readonly id: string; readonly text: string },
  signal: AbortSignal,
): Promise<Outcome> {
  const isTls = url.protocol === 'https:';
  const hostname = addressIn(url);
  const request = (isTls ? httpsRequest : httpRequest)({
    method: 'POST',
    host: address,
    port: portOf(url),
    path: url.pathname + url.search,
    // A connection of its own, to this very address.
    agent: false,
    ...(isTls && { servername: isIP(hostname) === 0 ? hostname : '' }),
    headers: {
      'user-agent': 'pitwall',
      ...lowerCase(headers),
      host: url.host,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
      'idempotency-key': id,
    },
  });
  return new Promise((resolve, reject) => {
    let outcome: Outcome | undefined;
    let reason: unknown = new Error('closed');
    const onAbort = (): void => {
      reason = signal.reason;
      request.destroy();
    };
    signal.addEventListener('abort', onAbort, { once: true });
    request.on('response', (answer) => {
      outcome = outcomeOf(answer);
      let bytes = 0;
      answer.on('error', () => undefined);
      answer.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > maxAnswerBytes) request.destroy();
      });
    });
    request.on('error', (error) => {
      if (!signal.aborted) reason = error;
    });
    request.on('close', () => {
      signal.removeEventListener('abort', onAbort);
      if (outcome === undefined) reject(reason);
      else resolve(outcome);
    });
    if (signal.aborted) onAbort();
    else request.end(text);
  });
}

function lowerCase(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function outcomeOf({ statusCode = 0, headers }: IncomingMessage): Outcome {
  if (statusCode >= 200 && statusCode < 300) return { isDelivered: true };
  if (statusCode >= 300 && statusCode < 400)
    return failed(`the answer was ${statusCode}, and redirects are not followed`);
  const seconds = /^\d{1,9}$/.exec(headers['retry-after'] ?? '')?.[0];
  return {
    ...failed(`the answer was ${statusCode}`),
    ...(seconds !== undefined && { retryAfterMs: Number(seconds) * 1000 }),
  };
}

function failed(problem: string): Outcome & { readonly isDelivered: false } {
  return { isDelivered: false, problem };
}

const problems: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was closed without an answer',
  ENOTFOUND: 'its host has no address',
  EAI_AGAIN: 'its host could not be looked up',
  EHOSTUNREACH: 'its host cannot be reached',
  ENETUNREACH: 'its network cannot be reached',
  ETIMEDOUT: 'the connection was not taken in time',
};

/** Messages of the system name addresses. */
function problemOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === undefined) return message === 'closed' ? problems['ECONNRESET']! : message;
  return problems[code] ?? `it failed with ${code}`;
}
