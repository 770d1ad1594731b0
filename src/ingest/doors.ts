import type { Metrics } from '../metrics.ts';

type DoorMetrics = Pick<Metrics, 'doorMessages' | 'doorRows' | 'doorRefused'>;

/** Rows of messages. */
export interface TakenRows {
  readonly rows: number;
  /** How many of them were older than the retention of their topic: they are not kept. */
  readonly expired: number;
  /** What was probably meant otherwise: the programs that write show it to nobody. */
  readonly warning: string | undefined;
}

/** What came through a door. */
export interface Door {
  /** Messages were taken, with their rows; of them so many parts were not, by reason. */
  took(taken: TakenRows, refused?: ReadonlyMap<string, number>, messages?: number): void;
  /** Where it stands, as that is known later. */
  at(addresses: readonly string[]): void;
  /** Messages were refused, for this reason. */
  refused(reason: string, messages?: number): void;
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

/** @param onDoubt told of what came through a door and was probably meant otherwise */
export function createDoors(
  { doorMessages, doorRows, doorRefused }: DoorMetrics,
  onDoubt: (door: string, text: string) => void,
): Doors {
  const opened = new Map<string, readonly string[]>();
  return {
    open(door, addresses) {
      opened.set(door, addresses);
      // From the start, so that the first one is a rise.
      doorMessages.inc({ door }, 0);
      doorRows.inc({ door }, 0);
      return {
        took({ rows, expired, warning }, refused = new Map(), messages = 1) {
          doorMessages.inc({ door }, messages);
          doorRows.inc({ door }, Math.max(0, rows - expired));
          if (expired > 0) doorRefused.inc({ door, reason: 'expired' }, expired);
          for (const [reason, count] of refused) doorRefused.inc({ door, reason }, count);
          if (warning !== undefined) onDoubt(door, warning);
        },
        at: (places) => void opened.set(door, places),
        refused: (reason, messages = 1) => doorRefused.inc({ door, reason }, messages),
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
