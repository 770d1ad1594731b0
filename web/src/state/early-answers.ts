/**
 * Where in the session storage who uses the page stands: a token, kept for as long as the browser's tabs, and in no address. `?`
 * in the address of the hub's WebSocket is the one place where browsers leave no other way.
 */
export const tokenStoredAs = 'pitwall.token';

/** A request that was sent before the page was there. */
export interface EarlyAnswer {
  /** ms since the Unix epoch, of the browser's clock. */
  readonly sentAt: number;
  readonly answer: Promise<Response>;
}

/** By what tells requests apart. Two scripts share it: the one that asks, and the page. */
type Early = Map<string, EarlyAnswer>;
const shared = globalThis as { pitwallEarly?: Early };

const keyOf = (url: string, authorization: string, body: unknown) =>
  JSON.stringify([url, authorization, body]);

/** Sends a query as the client library does. */
export function askEarly(url: string, token: string, query: unknown): void {
  const body = JSON.stringify(query);
  const authorization = `Bearer ${token}`;
  const headers = { authorization, accept: 'application/json', 'content-type': 'application/json' };
  const answer = fetch(url, { method: 'POST', headers, body }).then(withText);
  // Whoever takes it is told.
  answer.catch(() => undefined);
  shared.pitwallEarly ??= new Map();
  shared.pitwallEarly.set(keyOf(url, authorization, body), { sentAt: Date.now(), answer });
}

/** The response with its text read: the page goes on with it in the turn in which it is loaded. */
async function withText(response: Response): Promise<Response> {
  const text = await response.text();
  return Object.assign(response, { text: async () => text });
}

/** The answer of a request that was sent early, once; undefined where it was not. */
export function takeEarly(url: string, authorization: string, body: unknown): EarlyAnswer | undefined {
  const key = keyOf(url, authorization, body);
  const found = shared.pitwallEarly?.get(key);
  shared.pitwallEarly?.delete(key);
  return found;
}

/** What was not taken is old soon. */
export function dropEarly(): void {
  delete shared.pitwallEarly;
}
