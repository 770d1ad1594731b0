import type { Asked } from './queries.ts';

/** An answer of the query API: what it has of `data`, or of an error. */
export interface Answered {
  readonly status: number;
  readonly resultType?: string;
  readonly result?: unknown;
  readonly errorType?: string;
  readonly error?: string;
}

/** Asks a server that speaks Prometheus' API. */
export async function ask(
  url: string,
  asked: Asked,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answered> {
  const form = new URLSearchParams(
    Object.entries(asked).map(([name, value]): [string, string] => [name, String(value)]),
  );
  const path = asked.start === undefined ? 'query' : 'query_range';
  const reply = await fetch(`${url}/api/v1/${path}`, { method: 'POST', body: form, headers });
  const { data, errorType, error } = (await reply.json()) as {
    data?: { resultType: string; result: unknown };
    errorType?: string;
    error?: string;
  };
  return {
    status: reply.status,
    ...(data && { resultType: data.resultType, result: data.result }),
    ...(errorType !== undefined && { errorType, error: error! }),
  };
}
