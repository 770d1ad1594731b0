import { fault } from '../wire/fault.ts';
import { nearest } from '../wire/nearest.ts';
import type { Route } from './route.ts';

/** Any call may have it: where an answer has no 64-bit integers it says nothing. */
const everywhere = 'int64';

/** Refuses what a call with parameters in its address does not know there: a typing error would widen or change what it does. */
export function checkQueryNames({ query, dialect }: Route, given: Readonly<Record<string, unknown>>): void {
  if (query === undefined || dialect !== undefined) return;
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
