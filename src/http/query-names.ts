import { fault } from '../wire/base/fault.ts';
import { nearest } from '../wire/base/nearest.ts';
import type { Route } from './route.ts';

/** Any call may have it: where an answer has no 64-bit integers it says nothing. */
const everywhere = 'int64';

/**
 * Refuses what a call with parameters of its own does not know in its address: a typing error would widen or change what it
 * does. Calls that know `int64` alone pass over others, as ever: clients, and proxies on the way, may add what is for them.
 */
export function checkQueryNames({ query, dialect }: Route, given: Readonly<Record<string, unknown>>): void {
  if (query === undefined || dialect !== undefined) return;
  if (Object.keys(query).every((name) => name === everywhere)) return;
  for (const name of Object.keys(given)) {
    if (name === everywhere || Object.hasOwn(query, name)) continue;
    const known = nearest(name, Object.keys(query));
    throw fault(
      'invalid_value',
      name,
      `is no parameter of this address; the nearest known one is "${known}"`,
    );
  }
}
