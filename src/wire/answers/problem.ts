import { errorTable, type PitwallError } from '../../errors.ts';

/**
 * An error as `application/problem+json` (RFC 9457):
 *
 *   { type: "urn:pitwall:error:<code>", title, status, detail, code, errors?: [{ path, message }], requestId }
 *
 * `errors` are left out where there are none.
 */
export const problemType = 'application/problem+json';

export function encodeProblem(error: PitwallError, requestId: string): string {
  const { status, title } = errorTable[error.code];
  return JSON.stringify({
    type: `urn:pitwall:error:${error.code}`,
    title,
    status,
    detail: error.message,
    code: error.code,
    errors: error.errors.length === 0 ? undefined : error.errors,
    requestId,
  });
}
