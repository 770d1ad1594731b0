import { backoff, defaultRetry, pause, type Retry, retryOf } from './backoff.ts';
import { encodeJson } from './encode-json.ts';
import { orAborted } from './or-aborted.ts';
import { RequestError, readRequestError } from './request-error.ts';
import { stepInPath } from './step-in-path.ts';
import { tell } from './tell.ts';
import { decodeWarning, warningHeader } from './warning.ts';

export interface ClientOptions {
  /** The service's address, such as `http://127.0.0.1:8480`. */
  readonly url: string;
  /** The token, or a function that gives the present one: before each request, and when the service does not admit that one. */
  readonly token: string | (() => string | Promise<string>);
  /** Every request of this client is safe to repeat: reads, and writes, which have an identity. */
  readonly retry?: Partial<Retry>;
  /** Told what the service takes for a mistake in a request that it carries out: the header `Pitwall-Warning`. */
  readonly onWarning?: (warning: string) => void;
  /** Told of each failure after which a request waits and is sent again. */
  readonly onRepeat?: (error: unknown) => void;
  /** When it aborts, nothing is sent again: waits end, and what failed last is thrown. What is on its way is not broken off. */
  readonly ending?: AbortSignal;
  /** Another fetch than the platform's. */
  readonly fetch?: typeof fetch;
}

export interface RequestOptions {
  readonly signal?: AbortSignal;
  /** Media type of the answer; JSON without it. */
  readonly accept?: string;
  /** More headers of the request. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A body that is JSON already. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Sends requests with the token, and again where that makes sense. */
export interface Transport {
  /** Resolves with an answer of status 2xx; rejects with RequestError for another, or with fetch's own error. */
  send(method: string, path: string, body: unknown, options?: RequestOptions): Promise<Response>;
  readonly url: string;
  token(): Promise<string>;
}

export function createTransport(options: ClientOptions): Transport {
  const { token, onWarning: warn, onRepeat, ending } = options;
  if (typeof token !== 'string' && typeof token !== 'function')
    throw new TypeError('a token is needed, as a text or a function that gives it');
  checkAddress(options);
  const url = options.url.replace(/\/+$/, '');
  const retry = retryOf(defaultRetry, options.retry);
  const send = options.fetch ?? ((...args: Parameters<typeof fetch>) => fetch(...args));
  const currentToken = async (signal?: AbortSignal) =>
    plainToken(typeof token === 'string' ? token : await orAborted(Promise.resolve(token()), signal));

  async function once(
    method: string,
    path: string,
    body: string | undefined,
    bearer: string,
    options: RequestOptions,
  ): Promise<Response> {
    const response = await send(url + path, {
      method,
      headers: {
        ...options.headers,
        authorization: `Bearer ${bearer}`,
        accept: options.accept ?? 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body }),
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    });
    if (!response.ok) throw await readRequestError(response);
    const warning = response.headers.get(warningHeader);
    if (warning !== null) tell(warn, decodeWarning(warning));
    return response;
  }

  /** The same, and again with the token that there is by then, where that of a moment ago was not valid any more. */
  async function withToken(
    method: string,
    path: string,
    body: string | undefined,
    options: RequestOptions,
  ): Promise<Response> {
    const bearer = await currentToken(options.signal);
    try {
      return await once(method, path, body, bearer, options);
    } catch (error) {
      if (!(error instanceof RequestError && error.status === 401) || ending?.aborted) throw error;
      const present = await currentToken(options.signal);
      if (present === bearer) throw error;
      return await once(method, path, body, present, options);
    }
  }

  return {
    url,
    token: () => currentToken(),
    async send(method, path, body, options = {}) {
      checkPath(path);
      const text = textOf(body);
      for (let attempt = 1; ; attempt++) {
        try {
          return await withToken(method, path, text, options);
        } catch (error) {
          options.signal?.throwIfAborted();
          if (error instanceof RequestError) error.attempts = attempt;
          if (attempt >= retry.attempts || ending?.aborted || !isWorthRepeating(error)) throw error;
          tell(onRepeat, error);
          const signals = [options.signal, ending].filter((one) => one !== undefined);
          await pause(backoff(retry, attempt, retryAfterOf(error)), AbortSignal.any(signals)).catch(
            (reason) => {
              throw options.signal?.aborted ? reason : error;
            },
          );
        }
      }
    },
  };
}

/**
 * Throws a TypeError for an address that no request can go to, which would be tried again and again. A fetch of the
 * caller's may know what a relative one means.
 */
function checkAddress({ url, fetch: own }: ClientOptions): void {
  const here = (globalThis as { location?: { href: string } }).location?.href;
  const base = here ?? (own && 'http://localhost');
  const parsed = URL.canParse(url, base) ? new URL(url, base) : undefined;
  // What fetch says repeats the password.
  if (/\/\/.*@/s.test(url) && (parsed === undefined || parsed.username !== '' || parsed.password !== ''))
    throw new TypeError(
      'the url has a user or a password, for which the service has no use: it takes a token',
    );
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol))
    throw new TypeError(`the url has to begin with http:// or https://: ${url}`);
}

/** Throws a TypeError for a path that a URL takes for another. */
export function checkPath(path: string): void {
  const step = stepInPath(path);
  if (step !== undefined) throw new TypeError(step);
}

/** The token without space around it, as of a file. What no header takes is no trouble on the way, so it is no TypeError. */
function plainToken(token: string): string {
  const plain = String(token).trim();
  // It is a secret, so the message does not repeat it.
  if (!/^[\x21-\x7e]*$/.test(plain))
    throw new Error('the token has a space, a line break or another character that no token has');
  return plain;
}

/** Whether the same request may succeed later: the service, or the way to it, is in trouble. */
export function isWorthRepeating(error: unknown): boolean {
  if (error instanceof RequestError) return [408, 429, 502, 503, 504].includes(error.status);
  // What fetch throws when there is no answer.
  return error instanceof TypeError;
}

export function retryAfterOf(error: unknown): number | undefined {
  return error instanceof RequestError ? error.retryAfter : undefined;
}

function textOf(body: unknown): string | undefined {
  if (body instanceof JsonText) return body.text;
  return body === undefined ? undefined : encodeJson(body);
}
