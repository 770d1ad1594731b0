import { has } from '../../client/answers.ts';
import { jsonRequests } from '../../client/json-requests.ts';
import { type ReadCalls, readCalls } from '../../client/read-calls.ts';
import { RequestError } from '../../client/request-error.ts';
import { type StreamCalls, streamCalls } from '../../client/stream-calls.ts';
import { createTransport, type Transport } from '../../client/transport.ts';
import { defaultWorkspace } from '../../domain/principal.ts';
import { unreachable } from '../answer-errors.ts';
import { CommandError } from '../command.ts';
import { createHttpRequests } from '../http-requests.ts';
import { plainFetch } from '../plain-fetch.ts';
import { Waits } from '../waits.ts';

/** What is asked of a service as an admin of one workspace. */
export interface Calls extends ReadCalls, StreamCalls {
  readonly transport: Transport;
}

/** The name of the tokens that a copy makes for itself; it copies none of this name. */
export const ownTokenName = 'pitwall copy';

/** Tokens of its own are made anew long before they end: what a killed copy leaves ends soon. */
const tokenLifeMs = 2 * 3_600_000;
const tokenUseMs = 3_600_000;

interface OwnToken {
  readonly id: string;
  readonly token: string;
  readonly madeAt: number;
}

/** A service that may be away for a while. */
const patient = { attempts: 30, longestDelayMs: 2000 };

/** One of the two services of a copy, as an admin of the default workspace. */
export class CopyService {
  /** As messages name it: `the source http://…`. */
  readonly place: string;
  readonly #url: URL;
  readonly #token: string;
  readonly #requests;
  readonly #ending: AbortSignal;
  readonly #waits = new Waits();
  readonly #own = new Map<string, Promise<OwnToken>>();
  readonly #made: string[] = [];
  readonly #json;
  /** Of the default workspace. */
  readonly admin: Calls;

  /** @param ending when it aborts, nothing that failed is tried again */
  constructor(place: string, url: URL, token: string, ending: AbortSignal) {
    this.#ending = ending;
    this.place = place;
    this.#url = url;
    this.#token = token;
    this.#requests = createHttpRequests(url);
    this.admin = this.#callsWith(token);
    this.#json = jsonRequests(this.admin.transport);
  }

  of(workspace: string): Calls {
    if (workspace === defaultWorkspace) return this.admin;
    return this.#callsWith(async () => (await this.#tokenOf(workspace)).token);
  }

  /** Throws a CommandError where it is not there, or does not take the token for one of its admins. */
  async check(): Promise<void> {
    const hasty = this.#callsWith(this.#token, { attempts: 1 });
    try {
      const found = await jsonRequests(hasty.transport).list<{ name: string }>('/admin/workspaces');
      if (found.some(({ name }) => name === defaultWorkspace)) return;
    } catch (error) {
      throw this.#told(error);
    }
    throw new CommandError(
      `${this.place}: a copy needs an admin token of the workspace '${defaultWorkspace}'`,
    );
  }

  list<Item>(path: string): Promise<Item[]> {
    return this.#json.list(path);
  }

  change<Answer>(method: string, path: string, body: unknown, ...names: string[]): Promise<Answer> {
    return this.#json.change(method, path, body, has(...names));
  }

  write(method: string, path: string, body?: unknown): Promise<void> {
    return this.#json.write(method, path, body);
  }

  /** Removes what a path names, which may be gone. */
  async remove(calls: Calls, path: string): Promise<void> {
    await jsonRequests(calls.transport)
      .write('DELETE', path, undefined)
      .catch((error) => {
        if (!(error instanceof RequestError && error.status === 404)) throw error;
      });
  }

  /** Whether this is the same service under another address, or over the same store. */
  async isSame(other: CopyService): Promise<boolean> {
    const { id } = await this.#makeToken(defaultWorkspace);
    return (await other.list<{ id: string }>('/admin/tokens')).some((token) => token.id === id);
  }

  /** Revokes what it has made for itself. */
  async close(): Promise<void> {
    for (const id of this.#made.splice(0))
      await this.remove(this.admin, `/admin/tokens/${encodeURIComponent(id)}`).catch(() => undefined);
    this.#requests.close();
  }

  async #tokenOf(workspace: string): Promise<OwnToken> {
    const known = this.#own.get(workspace);
    if (known !== undefined && performance.now() - (await known).madeAt < tokenUseMs) return await known;
    if (this.#own.get(workspace) === known) this.#own.set(workspace, this.#makeToken(workspace));
    return await this.#own.get(workspace)!;
  }

  async #makeToken(workspace: string): Promise<OwnToken> {
    const make = (ends: object) =>
      this.change<{ id: string; token: string }>(
        'POST',
        '/admin/tokens',
        { workspace, scopes: ['admin'], name: ownTokenName, ...ends },
        'id',
        'token',
      );
    const madeAt = performance.now();
    const expires = new Date(Date.now() + tokenLifeMs).toISOString();
    // Of a token that ends before that, it ends with that one.
    const { id, token } = await make({ expires }).catch((error) => {
      if (error instanceof RequestError && error.code === 'forbidden') return make({});
      throw error;
    });
    this.#made.push(id);
    return { id, token, madeAt };
  }

  #callsWith(token: string | (() => Promise<string>), retry: Partial<typeof patient> = patient): Calls {
    const transport = createTransport({
      url: this.#url.href,
      token,
      fetch: plainFetch(this.#requests),
      retry,
      ending: this.#ending,
      onRepeat: (error) => this.#waits.forError(this.place, error),
    });
    const placed: Transport = {
      ...transport,
      send: (...request) =>
        transport.send(...request).catch((error) => {
          throw this.#placed(error);
        }),
    };
    return { ...readCalls(placed), ...streamCalls(placed), transport: placed };
  }

  /** The error with the place in its message. */
  #placed(error: unknown): unknown {
    if (error instanceof RequestError) {
      const faults = error.errors.map(({ path, message }) => `${path} ${message}`.trim()).join('; ');
      const status = error.status < 300 ? '' : `${error.status} `;
      error.message = `${this.place}: ${status}${error.message}${faults === '' ? '' : ` (${faults})`}`;
      return error;
    }
    const { cause } = error as Error;
    return cause === undefined ? error : unreachable(this.place, cause);
  }

  #told(error: unknown): unknown {
    if (!(error instanceof RequestError)) return error;
    const isPlaced = error.message.startsWith(this.place);
    return new CommandError(isPlaced ? error.message : `${this.place}: ${error.message}`, error.code);
  }
}
