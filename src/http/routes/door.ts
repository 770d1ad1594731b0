import type { Metrics } from '../../metrics.ts';
import type { Dialect } from '../route.ts';

export type DoorMetrics = Pick<Metrics, 'doorMessages' | 'doorRows' | 'doorRefused'>;

/** What came through a door. */
export interface Door {
  /** A message was taken, with so many rows; of it so many parts were not, by reason. */
  took(rows: number, refused?: ReadonlyMap<string, number>): void;
  /** The same dialect, which counts what it refuses. */
  counted(dialect: Dialect): Dialect;
}

export function openDoor({ doorMessages, doorRows, doorRefused }: DoorMetrics, door: string): Door {
  // From the start, so that the first one is a rise.
  doorMessages.inc({ door }, 0);
  doorRows.inc({ door }, 0);
  return {
    took(rows, refused = new Map()) {
      doorMessages.inc({ door });
      doorRows.inc({ door }, rows);
      for (const [reason, count] of refused) doorRefused.inc({ door, reason }, count);
    },
    counted: (dialect) => ({
      ...dialect,
      refuse(error, headers) {
        doorRefused.inc({ door, reason: error.code });
        return dialect.refuse(error, headers);
      },
    }),
  };
}
