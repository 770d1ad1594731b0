import { randomUUID } from 'node:crypto';
import type { Store } from '../store/store.ts';
import { encodeGroup, Groups, partsOf } from './frame.ts';
import type { LogExtent, LogMessage, ReplicaLog } from './nats-log.ts';
import { firstPosition, type Position, positionOf } from './position.ts';
import { decodeRecord, encodeRecord } from './record.ts';

/** How a node with this store can go on with this log. */
export type Start =
  /** From a place of the log. */
  | { readonly type: 'read'; readonly position: Position }
  /** The log is empty, and this node has data: the log is to say that it builds on these. */
  | { readonly type: 'found' }
  /** What the log builds on, or its next message, is not here: a backup of another node has it. */
  | { readonly type: 'backup'; readonly why: string };

/** Throws an Error for the operator where the folder holds data that the log knows nothing of. */
export async function startOf(store: Store, log: ReplicaLog, extent: LogExtent): Promise<Start> {
  const kept = positionOf(store, extent.id);
  const isEmpty = extent.last === 0;
  if (kept === undefined) {
    if (!(await hasNothing(store))) {
      if (isEmpty) return { type: 'found' };
      throw new Error(
        `the data folder has data that ${log.name} knows nothing of: start the node without --replicas, or with a new folder, or a log that is empty`,
      );
    }
    if (extent.first > 1 || (!isEmpty && (await isFounded(log))))
      return { type: 'backup', why: 'this node is new, and the log builds on data that it does not have' };
    return { type: 'read', position: firstPosition(extent.id) };
  }
  if (kept.from < extent.first)
    return {
      type: 'backup',
      why: `the log begins at ${extent.first}, and this node needs it from ${kept.from} on`,
    };
  if (kept.sequence > extent.last)
    throw new Error(
      `this node has applied message ${kept.sequence}, and ${log.name} ends at ${extent.last}: its servers have lost messages`,
    );
  return { type: 'read', position: kept };
}

/** Whether nothing was ever written to a store. */
async function hasNothing({ catalog }: Store): Promise<boolean> {
  const [first, ...others] = catalog.workspaces();
  if (first === undefined) return true;
  return (
    others.length === 0 && catalog.tokens().length === 0 && (await catalog.topics(first.name)).length === 0
  );
}

const patienceMs = 5000;

/** Whether the log says that it builds on the data of a node, or may have said it in a message that has gone. */
async function isFounded(log: ReplicaLog): Promise<boolean> {
  let first: LogMessage | undefined;
  while (first === undefined) {
    const reading = new AbortController();
    const patience = setTimeout(() => reading.abort(), patienceMs);
    const take = (message: LogMessage): void => {
      first ??= message;
      reading.abort();
    };
    await log.read(1, take, reading.signal).finally(() => clearTimeout(patience));
  }
  const { sequence, at, data } = first;
  if (sequence > 1) return true;
  const record = new Groups().take(data, sequence, at)?.[0]?.record;
  return record !== undefined && decodeRecord(record).type === 'found';
}

/** Has an empty log say that it builds on the data of this node. Rejects where another node was first. */
export async function foundLog(log: ReplicaLog, node: string): Promise<void> {
  const id = randomUUID();
  const group = encodeGroup([{ id, record: encodeRecord({ type: 'found', node }) }]);
  const [message] = partsOf({ sender: id, number: 0 }, group, log.maxBytes);
  await log.found(message!);
}
