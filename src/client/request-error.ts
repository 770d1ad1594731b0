/** One fault of a request: where it is (`numericValues.Speed[17]`) and what it is. */
export interface RequestFault {
  readonly path: string;
  readonly message: string;
}

/** An answer of the service that is an error. What failed on the way (no connection, say) throws fetch's own error. */
export class RequestError extends Error {
  readonly status: number;
  /** The service's stable code, such as `length_mismatch`; empty where something else answered. */
  readonly code: string;
  readonly errors: readonly RequestFault[];
  /** Finds the request in the service's log. */
  readonly requestId: string | undefined;
  /** Seconds after which the service asks to be tried again. */
  readonly retryAfter: number | undefined;
  /** How often the client has sent the request. Beyond 1 one whose answer was lost may have been carried out. */
  attempts = 1;

  constructor(status: number, problem: Problem, retryAfter?: number) {
    super(problem.detail ?? problem.title ?? `the service answered ${status}`);
    this.name = 'RequestError';
    this.status = status;
    this.code = problem.code ?? '';
    this.errors = problem.errors ?? [];
    this.requestId = problem.requestId;
    this.retryAfter = retryAfter;
  }
}

interface Problem {
  readonly title?: string;
  readonly detail?: string;
  readonly code?: string;
  readonly errors?: readonly RequestFault[];
  readonly requestId?: string;
}

/** Reads an error answer; one that is no problem+json (a proxy's, mostly) keeps its status and the start of its text. */
export async function readRequestError(response: Response): Promise<RequestError> {
  const text = await response.text().catch(() => '');
  const retryAfter = retryAfterIn(response.headers);
  try {
    const problem: unknown = JSON.parse(text);
    if (typeof problem === 'object' && problem !== null) {
      return new RequestError(response.status, problem, retryAfter);
    }
  } catch {
    // Told below.
  }
  const start = text.trim().slice(0, 200);
  const detail = `the service answered ${response.status}${start === '' ? '' : `: ${start}`}`;
  return new RequestError(response.status, { detail }, retryAfter);
}

/** The seconds that `Retry-After` asks for: it has a number of them, or a date on the clock of who answers. */
function retryAfterIn(headers: Headers): number | undefined {
  const asked = headers.get('retry-after');
  if (asked === null) return undefined;
  if (/^\s*\d+\s*$/.test(asked)) return Number(asked);
  const answeredAt = Date.parse(headers.get('date') ?? '');
  const seconds = (Date.parse(asked) - (Number.isNaN(answeredAt) ? Date.now() : answeredAt)) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}
