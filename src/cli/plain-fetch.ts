import { collect, type HttpRequests } from './http-requests.ts';

/**
 * `fetch` for a client that sends many small requests, each at its moment: it takes less than half the processor time of
 * the platform's. Bodies are strings, headers a plain object, answers are read whole, redirects not followed.
 */
export function plainFetch(requests: HttpRequests): typeof fetch {
  return async (address, init = {}) => {
    const { method = 'GET', headers, body, signal } = init;
    try {
      const answer = await requests.send(new URL(String(address)), {
        method,
        headers: headers as Record<string, string>,
        body: body as string | undefined,
        signal: signal ?? undefined,
      });
      const bytes = await collect(answer);
      const pairs = Object.entries(answer.headersDistinct).flatMap(([name, values = []]) =>
        values.map((value): [string, string] => [name, value]),
      );
      return new Response(bytes.length === 0 ? null : bytes, { status: answer.statusCode!, headers: pairs });
    } catch (error) {
      signal?.throwIfAborted();
      // What fetch rejects with where there is no answer.
      throw new TypeError('fetch failed', { cause: error });
    }
  };
}
