import { type ErrorCode, PitwallError } from '../../errors.ts';

/** Makes the error for one fault of the input: `message` goes on after the path, as in "epoch must be an integer". */
export function fault(code: ErrorCode, path: string, message: string): PitwallError {
  return new PitwallError(code, { errors: [{ path, message }] });
}
