import type { Metrics } from '../../metrics.ts';
import type { Dialect } from '../route.ts';

type DoorMetrics = Pick<Metrics, 'doorMessages' | 'doorRows' | 'doorRefused'>;

/** What came through a door. */
export interface Door {
  /** A message was taken, with so many rows; of it so many parts were not, by reason. */
  took(rows: number, refused?: ReadonlyMap<string, number>): void;
  /** The same dialect, which counts what it refuses. */
  counted(dialect: Dialect): Dialect;
}

/** A door that is open, with what came through it since the start. */
export interface OpenedDoor {
  readonly door: string;
  readonly addresses: readonly string[];
  readonly messages: number;
  readonly rows: number;
  /** By reason: messages, and parts of others. */
  readonly refused: Readonly<Record<string, number>>;
}

/** The doors of a service: protocols of other programs that it speaks. */
export interface Doors {
  /** @param addresses where it stands, as people write them */
  open(door: string, addresses: readonly string[]): Door;
  /** In the order in which they were opened. */
  list(): Promise<OpenedDoor[]>;
}

export function createDoors({ doorMessages, doorRows, doorRefused }: DoorMetrics): Doors {
  const opened = new Map<string, readonly string[]>();
  return {
    open(door, addresses) {
      opened.set(door, addresses);
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
    },

    async list() {
      const counted = await Promise.all([doorMessages.get(), doorRows.get(), doorRefused.get()]);
      const [messages, rows, refused] = counted.map(({ values }) => values);
      return [...opened].map(([door, addresses]) => {
        const sum = (values: typeof messages) =>
          values!.find(({ labels }) => labels.door === door)?.value ?? 0;
        const reasons = refused!.filter(({ labels }) => labels.door === door) as {
          labels: { reason?: string };
          value: number;
        }[];
        return {
          door,
          addresses,
          messages: sum(messages),
          rows: sum(rows),
          refused: Object.fromEntries(
            reasons.filter(({ value }) => value > 0).map(({ labels, value }) => [labels.reason, value]),
          ),
        };
      });
    },
  };
}
