import { errorTable } from '../errors.ts';
import { problemType } from '../wire/answers/problem.ts';
import type { SchemaComponents } from './openapi-schemas.ts';
import { problem } from './schemas/service.ts';

/** What each status of a refused request means here. */
const meanings: Readonly<Record<number, string>> = {
  400: 'The request is wrong: nothing was applied. `errors` names the places.',
  401: 'There is no valid token.',
  403: 'The token does not allow this, or belongs to another workspace.',
  404: 'There is no such thing.',
  408: 'The body came too slowly; the connection ends.',
  412: 'It is not as `If-Match` or `If-None-Match` says: nothing was applied.',
  413: 'The body has too many bytes, after decompression.',
  415: 'The body is not called application/json, or has an unknown Content-Encoding.',
  500: 'Something failed inside the service; the request was applied wholly or not at all.',
  503: 'The service cannot do this now; a repeat after the time of `Retry-After` may succeed.',
};

const headers: Readonly<Record<number, object>> = {
  401: { 'WWW-Authenticate': { description: 'The scheme: Bearer', schema: { type: 'string' } } },
  503: { 'Retry-After': { description: 'In seconds', schema: { type: 'integer' } } },
};

export interface ProblemResponse {
  readonly description: string;
  readonly headers: object;
  readonly content: { readonly [problemType]: { readonly schema: unknown } };
}

/** One response for each status, and one for what else HTTP itself may answer. */
export function problemResponses(schemas: SchemaComponents): Record<string, ProblemResponse> {
  const content = { [problemType]: { schema: schemas.use(problem) } };
  const entries = Object.entries(meanings).map(([status, meaning]) => {
    const codes = Object.entries(errorTable).filter(([, row]) => row.status === Number(status));
    const list = codes.map(([code, { title }]) => `- \`${code}\`: ${title}`).join('\n');
    return [
      responseName(Number(status)),
      { description: `${meaning}\n\n${list}`, headers: headers[Number(status)] ?? {}, content },
    ] as const;
  });
  return Object.fromEntries([
    ...entries,
    [otherProblem, { description: 'Another problem; `code` says which.', headers: {}, content }],
  ]);
}

export const otherProblem = 'Problem';

export function responseName(status: number): string {
  return `Problem${status}`;
}

/** The statuses of problems that a call may get, beside those that its examples show. */
export function problemStatuses(call: {
  readonly needsToken: boolean;
  readonly takesInput: boolean;
  readonly takesBody: boolean;
  readonly hasConditions: boolean;
  readonly mayBeMissing: boolean;
}): number[] {
  return [
    ...(call.takesInput ? [400] : []),
    ...(call.needsToken ? [401, 403] : []),
    ...(call.mayBeMissing ? [404] : []),
    ...(call.takesBody ? [408, 413, 415] : []),
    ...(call.hasConditions ? [412] : []),
    500,
    503,
  ];
}
