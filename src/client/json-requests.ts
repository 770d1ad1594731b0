import { contentOf, endOf } from './answers.ts';
import { isGoneAlready } from './done-before.ts';
import type { RequestOptions, Transport } from './transport.ts';

/** Requests with a body in JSON, whose answers are checked to be Pitwall's. Each rejects with RequestError. */
export interface JsonRequests {
  /** The content of an answer; a list where nothing else is expected. 64-bit integers in it are strings of digits. */
  read<Answer>(
    path: string,
    body: unknown,
    options?: RequestOptions,
    isExpected?: (answer: object) => boolean,
  ): Promise<Answer>;
  /** The list at a path. */
  list<Item>(path: string, options?: RequestOptions): Promise<Item[]>;
  /** The content of what a change answers. */
  change<Answer>(
    method: string,
    path: string,
    body: unknown,
    isExpected: (answer: object) => boolean,
    options?: RequestOptions,
  ): Promise<Answer>;
  /** A change that answers nothing. */
  write(method: string, path: string, body: unknown, options?: RequestOptions): Promise<void>;
  /** Takes away what is at a path; so it does where an earlier attempt took it, whose answer was lost. */
  remove(path: string, options?: RequestOptions): Promise<void>;
}

export function jsonRequests(transport: Transport): JsonRequests {
  return {
    read: async (path, body, options, isExpected = Array.isArray) =>
      contentOf(await transport.send('POST', `${path}?int64=string`, body, options), isExpected),
    list: async (path, options) =>
      contentOf(await transport.send('GET', path, undefined, options), Array.isArray),
    change: async (method, path, body, isExpected, options) =>
      contentOf(await transport.send(method, path, body, options), isExpected),
    async write(method, path, body, options) {
      await endOf(await transport.send(method, path, body, options));
    },
    async remove(path, options) {
      try {
        await endOf(await transport.send('DELETE', path, undefined, options));
      } catch (error) {
        if (!isGoneAlready(error)) throw error;
      }
    },
  };
}
