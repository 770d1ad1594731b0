import { randomUUID } from 'node:crypto';
import { defaultWorkspace } from '../domain/principal.ts';
import type { Store } from '../store/store.ts';
import { encodeGroup, type Framed, Groups, markOf, partsOf, readMessage } from './frame.ts';
import type { LogExtent } from './log-streams.ts';
import type { ReplicaLog } from './nats-log.ts';
import { firstPosition, keepPosition, type Position, positionOf } from './position.ts';
import { otherMessage } from './read-log.ts';
import { decodeRecord, encodeRecord } from './record.ts';

/** How a node with this store can go on with this log. */
export type Start =
  /** From a place of the log. */
  | { readonly type: 'read'; readonly position: Position }
  /** The log is empty, and this node has data: the log is to say that it builds on these, under an id that the node has kept. */
  | { readonly type: 'found'; readonly position: Position }
  /** What the log builds on, or its next message, is not here: a backup of another node has it. */
  | { readonly type: 'backup'; readonly why: string; readonly isOlder?: boolean }
  /** Nowhere: the log has lost messages that it had. */
  | { readonly type: 'lost'; readonly position: Position; readonly why: string };

/** Throws an Error for the operator where the folder holds data that the log knows nothing of. */
export async function startOf(store: Store, log: ReplicaLog, extent: LogExtent): Promise<Start> {
  const { id, offset, generation, isSealed } = extent;
  const kept = positionOf(store, id);
  const isEmpty = extent.last === offset;
  if (kept === undefined) {
    if (extent.before.some((older) => positionOf(store, older) !== undefined))
      return { type: 'backup', why: olderWhy(generation), isOlder: true };
    if (await hasNothing(store)) return await startOfNew(log, extent);
    if (!isEmpty) throw new Error(unknownData(log));
    const position = { ...firstPosition(id), base: randomUUID() };
    await store.append({ workspace: defaultWorkspace, changes: [keepPosition(position)] });
    return { type: 'found', position };
  }
  const lost = (why: string): Start => ({ type: 'lost', position: kept, why });
  if (isSealed) return lost('the log takes no more messages');
  if (kept.base !== undefined) {
    // It was killed before the log said so, or before it had read that.
    if (isEmpty) return { type: 'found', position: kept };
    if ((await founderOf(log, offset))?.base !== kept.base) throw new Error(unknownData(log));
    return { type: 'read', position: kept };
  }
  if (kept.from < extent.first)
    return {
      type: 'backup',
      why: `the log begins at ${extent.first}, and this node needs it from ${kept.from} on`,
    };
  if (kept.sequence > extent.last)
    return lost(`this node has applied message ${kept.sequence}, and ${log.name} ends at ${extent.last}`);
  const there = await log.messageAt(kept.sequence);
  if (there !== undefined && markOf(there.data) !== kept.mark) return lost(otherMessage(kept.sequence));
  return { type: 'read', position: kept };
}

const olderWhy = (generation: number): string =>
  `the log lost messages and began again as generation ${generation}, and this node has an older one`;

function unknownData(log: ReplicaLog): string {
  return `the data folder has data that ${log.name} knows nothing of: start the node without --replicas, or with a new folder, or a log that is empty`;
}

async function startOfNew(log: ReplicaLog, { id, first, last, offset, isSealed }: LogExtent): Promise<Start> {
  const isGone = first > offset + 1 || (last > offset && (await founderOf(log, offset)) !== undefined);
  if (isSealed || isGone)
    return { type: 'backup', why: 'this node is new, and the log builds on data that it does not have' };
  return { type: 'read', position: firstPosition(id, offset) };
}

/** What people keep in a workspace without a topic. */
const keptByPeople = ['view', 'share', 'calculated', 'alert'] as const;

/** Whether nothing was ever written to a store. */
async function hasNothing({ catalog }: Store): Promise<boolean> {
  const [first, ...others] = catalog.workspaces();
  if (first === undefined) return true;
  const { name } = first;
  return (
    others.length === 0 &&
    catalog.tokens().length === 0 &&
    keptByPeople.every((kind) => catalog.documentCount(name, kind) === 0) &&
    (await catalog.topics(name)).length === 0
  );
}

/** On whose data the log builds; somebody's where the message that may have said it has gone, undefined where it builds on nothing. */
async function founderOf(
  log: ReplicaLog,
  offset: number,
): Promise<{ readonly base: string | undefined } | undefined> {
  const first = await log.messageAt(offset + 1);
  if (first === undefined) return { base: undefined };
  return readMessage(first.sequence, () => {
    const bytes = new Groups().take(first.data, first.sequence, first.at)?.[0]?.record;
    const record = bytes && decodeRecord(bytes);
    return record?.type === 'found' ? record : undefined;
  });
}

/** Has an empty log say that it builds on the data of this node. Rejects where another node was first. */
export async function foundLog(log: ReplicaLog, node: string, base: string): Promise<void> {
  await log.found(foundingMessage(node, base, 0, []));
}

/**
 * The first message of a log that builds on the data of a node, and records that are to be applied to these.
 *
 * @param offset the place before it
 */
export function foundingMessage(
  node: string,
  base: string,
  offset: number,
  records: readonly Framed[],
): Buffer {
  const group = encodeGroup([{ id: base, record: encodeRecord({ type: 'found', node, base }) }, ...records]);
  const after = { sequence: offset, chain: 0 };
  return partsOf({ sender: base, number: 0, after }, group, Number.MAX_SAFE_INTEGER)[0]!;
}
