import type { Door } from '../../ingest/doors.ts';
import type { Dialect } from '../route.ts';

/** Returns a dialect whose door counts what it refuses. */
export function countedDialect(door: Door, dialect: Dialect): Dialect {
  return {
    ...dialect,
    refuse(error, headers) {
      door.refused(error.code);
      return dialect.refuse(error, headers);
    },
  };
}
