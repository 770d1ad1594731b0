import { PitwallError } from '../errors.ts';

/** `?int64=string`: 64-bit integers as strings, for clients whose numbers are doubles. */
export function wantsInt64Strings(query: Readonly<Record<string, unknown>>): boolean {
  const form = query['int64'];
  if (form === undefined || form === 'number') return false;
  if (form === 'string') return true;
  throw new PitwallError('invalid_value', {
    errors: [{ path: 'int64', message: 'must be string or number' }],
  });
}
