import { RequestError } from './request-error.ts';

/**
 * Whether a request that takes something away finds it gone because an earlier one took it, whose answer was lost: it was
 * sent more than once.
 */
export function isGoneAlready(error: unknown): boolean {
  return isOfRepeat(error, 404) && /^(view|share|calculated|alert)_not_found$/.test(error.code);
}

/** Whether a repeat of a request got this answer. */
export function isOfRepeat(error: unknown, status: number): error is RequestError {
  return error instanceof RequestError && error.attempts > 1 && error.status === status;
}
