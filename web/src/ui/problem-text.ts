import { RequestError } from '../../../src/client/client.ts';

/** What went wrong, in words for who looks at the page. */
export function problemText(error: unknown): string {
  if (error instanceof RequestError) {
    if (error.status === 401)
      return 'The service does not know this token. It may have been revoked or have expired.';
    const [first] = error.errors;
    // Most messages are made of the faults.
    return first === undefined || error.message.includes(first.message)
      ? error.message
      : `${error.message} (${first.path}: ${first.message})`;
  }
  if (error instanceof TypeError) return 'The service cannot be reached.';
  return (error as Error).message;
}
