import type { IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { stepInPath } from '../client/step-in-path.ts';
import { decodeWarning, warningHeader } from '../client/warning.ts';
import { CommandError, UsageError } from './command.ts';
import { collect, createHttpRequests } from './http-requests.ts';
import { plainLine, plainLines } from './plain-lines.ts';

/** The options that every command which talks to a service has. */
export const clientOptions = { url: { type: 'string' }, token: { type: 'string' } } as const;

export const clientHelp = `  --url URL        the service (or PITWALL_URL; default http://127.0.0.1:8480)
  --token TOKEN    the access token (or PITWALL_TOKEN)`;

/** Talks to a service as one user. */
export interface Client {
  /**
   * Sends a request and gives the parsed JSON of the answer, undefined where it is empty. While the service is busy
   * (503) it tries again: every call is harmless to repeat. Throws a CommandError for all other errors.
   */
  call(method: string, path: string, body?: string): Promise<unknown>;
  /** The same, but gives the response itself; the caller has to read its body. */
  open(method: string, path: string, body?: string, accept?: string): Promise<IncomingMessage>;
  close(): void;
}

/** How often a busy service is asked again before giving up. */
const busyTries = 10;

interface GivenService {
  readonly url?: string | undefined;
  readonly token?: string | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The service and the token that options or environment name. Throws a UsageError. */
export function serviceOf(values: GivenService, env: Environment): { url: URL; token: string } {
  const url = readUrl(values.url ?? (env['PITWALL_URL'] || 'http://127.0.0.1:8480'));
  const token = values.token ?? env['PITWALL_TOKEN'];
  if (token === undefined || token === '') {
    throw new UsageError('an access token is needed: --token TOKEN or the variable PITWALL_TOKEN');
  }
  // It is a secret, so the message does not repeat it.
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new UsageError('the access token has a space, a line break or another character that no token has');
  return { url, token };
}

export function createClient(
  values: GivenService,
  env: Environment,
  onWarning: (warning: string) => void = printWarning,
): Client {
  const { url, token } = serviceOf(values, env);
  const requests = createHttpRequests(url);
  const base = url.pathname.replace(/\/$/, '');

  const once = (method: string, path: string, body?: string, accept?: string): Promise<IncomingMessage> => {
    const headers = {
      Authorization: `Bearer ${token}`,
      ...(accept !== undefined && { Accept: accept }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    };
    return requests.send(new URL(base + path, url), { method, headers, body });
  };

  const unreachable = (error: unknown): never => {
    throw new CommandError(`the service at ${url.href} cannot be reached: ${reason(error)}`);
  };

  async function open(
    method: string,
    path: string,
    body?: string,
    accept?: string,
  ): Promise<IncomingMessage> {
    const step = stepInPath(path);
    if (step !== undefined) throw new UsageError(step);
    for (let attempt = 1; ; attempt++) {
      const response = await once(method, path, body, accept).catch(unreachable);
      const status = response.statusCode!;
      if (status < 300) {
        const warning = response.headers[warningHeader.toLowerCase()];
        if (typeof warning === 'string') onWarning(decodeWarning(warning));
        return response;
      }
      const text = String(await collect(response).catch(unreachable));
      if (status !== 503 || attempt === busyTries) throw describe(status, text);
      await delay(Number(response.headers['retry-after'] ?? 1) * 1000);
    }
  }

  return {
    open,
    async call(method, path, body) {
      const bytes = await collect(await open(method, path, body)).catch((error: unknown) => {
        throw error instanceof CommandError ? error : unreachable(error);
      });
      return bytes.length === 0 ? undefined : parsed(bytes.toString(), url);
    },
    close: requests.close,
  };
}

/** On a line of its own, where a bar of progress may stand. */
function printWarning(warning: string): void {
  const [start, end] = process.stderr.isTTY ? ['\r\u001b[K', '\n'] : ['', '\n'];
  process.stderr.write(`${start}warning: ${plainLines(warning.replaceAll('\n', '?'))}${end}`);
}

function readUrl(text: string): URL {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) {
    throw new UsageError(`'${text}' is not an address such as http://127.0.0.1:8480`);
  }
  return new URL(text);
}

function parsed(text: string, { href }: URL): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new CommandError(`what answers at ${href} is not Pitwall: it says ${excerpt(text)}`);
  }
}

/** The beginning of what others have written, in one line. */
function excerpt(text: string): string {
  return plainLine(text.slice(0, 200)).trim();
}

/** System errors of several addresses come as an AggregateError without a message of its own. */
function reason(error: unknown): string {
  const { message, code } = error as NodeJS.ErrnoException;
  return message || code || String(error);
}

/** A problem as one line: `401 A valid token is needed: there is no Authorization header`. */
function describe(status: number, text: string): CommandError {
  try {
    const { title, detail, code } = JSON.parse(text) as { title?: string; detail?: string; code?: string };
    const head = `${status} ${title ?? ''}`.trim();
    return new CommandError(detail === undefined || detail === title ? head : `${head}: ${detail}`, code);
  } catch {
    return new CommandError(`${status} ${excerpt(text)}`.trim());
  }
}
