import type { Change, Store } from '../store/store.ts';
import type { LeaseState } from './lease.ts';

/** How far this node has applied the log. It stands in the same record as what was applied. */
export interface Position {
  /** The identity of the log. */
  readonly log: string;
  /** The message of the last applied record, and the number of the record in it. */
  readonly sequence: number;
  /** The mark of that message. */
  readonly mark: number;
  /** See ReadUpTo. */
  readonly chain: number;
  readonly record: number;
  /** The first message that is needed to go on: earlier than the next one while a group was not whole. */
  readonly from: number;
  /** The time of the log, ms since the Unix epoch. */
  readonly at: number;
  /** Who had the lease then, and by which message. */
  readonly lease: LeaseState;
  /** Before the first message: the id under which the log says that it builds on the data of this node. */
  readonly base?: string;
}

const kind = 'replicaPosition';
/** Where the position is kept, and the one with which this node would begin another log. */
const ids = { now: 'position', next: 'next' } as const;

/** The change that tells a position. */
export function keepPosition(position: Position, when: keyof typeof ids = 'now'): Change {
  return { type: 'keep', kind, topic: undefined, id: ids[when], body: JSON.stringify(position) };
}

/**
 * How far a store has applied a log: each workspace has the position of its last record, the furthest is that of the node. Undefined
 * where it has applied nothing of it.
 */
export function positionOf({ catalog }: Pick<Store, 'catalog'>, log: string): Position | undefined {
  let furthest: Position | undefined;
  for (const { name } of catalog.workspaces()) {
    for (const id of Object.values(ids)) {
      const item = catalog.document(name, kind, undefined, id);
      if (item === undefined) continue;
      const position = JSON.parse(item.body) as Position;
      if (position.log !== log) continue;
      if (furthest === undefined || isAfter(position, furthest)) furthest = position;
    }
  }
  return furthest;
}

export function isAfter(
  a: Pick<Position, 'sequence' | 'record'>,
  b: Pick<Position, 'sequence' | 'record'>,
): boolean {
  return a.sequence > b.sequence || (a.sequence === b.sequence && a.record > b.record);
}

/** Before the first message of a log. */
export function firstPosition(log: string, offset = 0): Position {
  const lease = { holder: undefined, sequence: 0 };
  return { log, sequence: offset, mark: 0, chain: 0, record: 0, from: offset + 1, at: 0, lease };
}
