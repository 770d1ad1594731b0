/**
 * One call and the answer that it gets. `/openapi.json` shows it; a test sends all of them, in the order of
 * `story.ts`, to a service and holds what comes back against `answer`.
 *
 * Times are whole seconds in nanoseconds: a double holds them exactly, so that tools which parse JSON into doubles
 * show the true digits.
 */
export interface Example {
  /** Method and path of its route. */
  readonly call: string;
  /** What it does, for a list to choose from. */
  readonly summary: string;
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  /** Media type of an answer that is not JSON. */
  readonly accept?: string;
  /** JSON, or text where the route takes any media type. */
  readonly body?: unknown;
  /** 200 without it. */
  readonly status?: number;
  /** JSON, or text with `accept`; without it the answer is empty, or too special to show. */
  readonly answer?: unknown;
  /** Properties of the answer, at any depth, that differ each time: ids, tokens, times. */
  readonly varying?: readonly string[];
}
