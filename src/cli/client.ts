import type { IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { expiredRowsHeader } from '../client/answers.ts';
import { stepInPath } from '../client/step-in-path.ts';
import { decodeWarning, warningHeader } from '../client/warning.ts';
import { brokeOff, notPitwall, refusal, unreachable } from './answer-errors.ts';
import { CommandError, UsageError } from './command.ts';
import { type Expected, objectOf } from './expected-answer.ts';
import { collect, createHttpRequests } from './http-requests.ts';
import { plainLines } from './plain-lines.ts';
import { sayBeside, Waits } from './waits.ts';

/** The options that every command which talks to a service has. */
export const clientOptions = { url: { type: 'string' }, token: { type: 'string' } } as const;

export const clientHelp = `  --url URL        the service (or PITWALL_URL; default http://127.0.0.1:8480)
  --token TOKEN    the access token (or PITWALL_TOKEN)`;

/** Talks to a service as one user. */
export interface Client {
  /** Where the service is, as messages name it. */
  readonly place: string;
  /**
   * Sends a request and gives the parsed JSON of the answer, undefined where it is empty. While the service is busy
   * (503) it tries again: every call is harmless to repeat. Throws a CommandError for all other errors, and where the answer
   * is not as expected: another server answers there.
   */
  call<Answer>(
    method: string,
    path: string,
    body: string | undefined,
    isExpected: Expected<Answer>,
  ): Promise<Answer>;
  /**
   * The same, but gives the response itself, which has the media type; the caller has to read its body. It ends when `signal`
   * aborts, though the service sends nothing.
   */
  open(
    method: string,
    path: string,
    body: string | undefined,
    type: string,
    signal?: AbortSignal,
  ): Promise<IncomingMessage>;
  /** From now on what the service is too busy for is not tried again once this aborts: the waits end with an error. */
  endWith(signal: AbortSignal): void;
  /** How many rows of what was written were older than the retention of their topic, and not kept. */
  expiredRows(): number;
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
  const place = placeOf(url);
  let expired = 0;
  let ending: AbortSignal | undefined;
  const waits = new Waits();

  const once = (
    method: string,
    path: string,
    body?: string,
    type?: string,
    signal?: AbortSignal,
  ): Promise<IncomingMessage> => {
    const headers = {
      Authorization: `Bearer ${token}`,
      ...(type !== undefined && { Accept: type }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    };
    return requests.send(new URL(base + path, url), { method, headers, body, signal }).catch((error) => {
      throw signal?.aborted ? signal.reason : unreachable(place, error);
    });
  };
  const textOf = async (response: IncomingMessage): Promise<string> => {
    const bytes = await collect(response).catch((error: unknown) => {
      throw brokeOff(place, error);
    });
    return bytes.toString();
  };

  async function answered(
    method: string,
    path: string,
    body?: string,
    type?: string,
    signal?: AbortSignal,
  ): Promise<IncomingMessage> {
    const step = stepInPath(path);
    if (step !== undefined) throw new UsageError(step);
    for (let attempt = 1; ; attempt++) {
      const response = await once(method, path, body, type, signal);
      const status = response.statusCode!;
      if (status < 300) {
        const warning = response.headers[warningHeader.toLowerCase()];
        if (typeof warning === 'string') onWarning(decodeWarning(warning));
        expired += Number(response.headers[expiredRowsHeader.toLowerCase()] ?? 0);
        return response;
      }
      const text = await textOf(response);
      const refused = refusal(status, text);
      if (status !== 503 || attempt === busyTries) throw refused;
      waits.for(refused.message);
      const end = AbortSignal.any([signal, ending].filter((one) => one !== undefined));
      await delay(Number(response.headers['retry-after'] ?? 1) * 1000, undefined, { signal: end }).catch(
        (error: unknown) => {
          throw ending?.aborted ? new CommandError(`interrupted: ${refused.message}`, refused.code) : error;
        },
      );
    }
  }

  let checked: Promise<void> | undefined;
  /** Any server may answer a write with nothing, so that it is the service has to be asked for; a proxy may not let one ask. */
  async function checkHealth(): Promise<void> {
    const response = await requests.send(new URL(`${base}/healthz`, url), { method: 'GET', headers: {} });
    const text = await textOf(response);
    if (response.statusCode! < 300 && !isHealth(parsed(text))) throw notPitwall(place, text);
  }

  return {
    place,

    async open(method, path, body, type, signal) {
      const response = await answered(method, path, body, type, signal);
      const { 'content-type': given = '', 'content-length': length } = response.headers;
      if (given.split(';', 1)[0] !== type) throw notPitwall(place, await textOf(response));
      if (length !== undefined || response.headers['transfer-encoding'] !== undefined) return response;
      response.destroy();
      throw new CommandError(`what answers at ${place} does not say where it ends`);
    },

    async call(method, path, body, isExpected) {
      const text = await textOf(await answered(method, path, body));
      const value = parsed(text);
      if (!isExpected(value)) throw notPitwall(place, text);
      if (value === undefined) {
        checked ??= checkHealth();
        await checked;
      }
      return value;
    },

    endWith(signal) {
      ending = signal;
    },
    expiredRows: () => expired,
    close: requests.close,
  };
}

const isHealth = objectOf<{ status: string }>({ status: 'string' });

/** Returns the address of a service as messages name it. */
export function placeOf({ origin, pathname }: URL): string {
  return origin + pathname;
}

function printWarning(warning: string): void {
  sayBeside(`warning: ${plainLines(warning.replaceAll('\n', '?'))}`);
}

function readUrl(text: string): URL {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) {
    // Before an @ there may be a password.
    throw new UsageError(
      text.includes('@')
        ? 'the address of the service must be like http://127.0.0.1:8480'
        : `'${text}' is not an address such as http://127.0.0.1:8480`,
    );
  }
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') {
    throw new UsageError(
      'the address of the service has a user or a password, for which it has no use: give a token, with --token or PITWALL_TOKEN',
    );
  }
  if (url.search !== '' || url.hash !== '') {
    throw new UsageError('the address of the service has a query or a fragment, which would not be sent');
  }
  return url;
}

/** Undefined where there is nothing, and null, which is never an answer, where it is no JSON. */
function parsed(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
