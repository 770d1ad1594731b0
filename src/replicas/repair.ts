import { randomUUID } from 'node:crypto';
import type { NatsConnection } from '@nats-io/transport-node';
import { defaultWorkspace } from '../domain/principal.ts';
import type { Log } from '../log.ts';
import type { Store } from '../store/store.ts';
import { foundingMessage } from './base.ts';
import { encodeGroup, type Framed, recordsOf } from './frame.ts';
import { type Closable, hear } from './hear.ts';
import type { LogExtent } from './log-streams.ts';
import type { ReplicaLog } from './nats-log.ts';
import { canGive, freshMs, type HeardPeer, type Peers } from './peers.ts';
import { firstPosition, keepPosition } from './position.ts';
import { chooseBase, hasApplied, type NodeTail, type Tail } from './tail.ts';

/** What a node that has stopped for good with this generation of the log does for the next one. */
export interface Repair extends Closable {
  /** What it waits for. */
  readonly problem: string;
}

/** This node, as it takes part. */
interface Member {
  readonly node: string;
  readonly run: string;
  readonly cluster: string;
  readonly peers: Pick<Peers, 'all'>;
  /** Whether this node has read the log since its start: else it may not have heard of others that were there. */
  readonly hasRead: boolean;
}

export interface RepairOptions extends Member {
  readonly replicaLog: ReplicaLog;
  /** What the log held as it was asked last. */
  readonly extent: () => LogExtent;
  readonly store: Pick<Store, 'append'>;
  /** The log goes on with another generation: this node has to be opened again. */
  readonly onNext: () => void;
  readonly log: Log;
}

/** A node with what it has applied last, and with the nodes that it has heard of. */
interface ToldTail extends NodeTail {
  readonly heard: readonly HeardPeer[];
}

const againMs = 1000;
const askMs = 3000;
/** A node that was not heard for so long (ms) is done without, where nothing tells that it has what others have not. */
const awayMs = 20_000;

const subjectOf = (cluster: string, run: string): string => `pitwall.replicas.${cluster}.tail.${run}`;

/** Tells others what this node has applied last; where they ask for a message, its records, or nothing where they are not kept. */
export function giveTail(
  connection: NatsConnection,
  { node, run, cluster, peers, hasRead }: Member,
  tail: Tail,
  mostBytes: () => number,
): Closable {
  return hear(connection, subjectOf(cluster, run), (message) => {
    if (message.data.length === 0) {
      const told: ToldTail = { node, run, hasRead, messages: tail.messages, heard: peers.all() };
      message.respond(JSON.stringify(told));
      return;
    }
    const records = tail.recordsOf(Number(message.string()));
    const group = records && encodeGroup(records);
    message.respond(group === undefined || group.length > mostBytes() ? '' : group);
  });
}

/** Closes the log, and begins the next generation of it where this node is the one on whose data it goes on. */
export function repairLog(options: RepairOptions): Repair {
  let problem = 'it is looked for who has what it lost';
  let isEnded = false;
  let isBase = false;
  let timer: NodeJS.Timeout | undefined;
  /** Resolves with what it waits for, or with undefined where this node can be opened again. */
  const step = async (): Promise<string | undefined> => {
    const { replicaLog, extent, peers } = options;
    if (await replicaLog.isOutdated()) {
      const isGiven = peers.all().some((peer) => canGive(peer) && isOther(peer.log, extent().id));
      return isBase || isGiven ? undefined : 'it waits for the node that begins the log anew';
    }
    await replicaLog.seal();
    return await tryOnce(options, () => {
      isBase = true;
    });
  };
  const go = async (): Promise<void> => {
    const found = await step().catch((error: Error) => `it cannot be repaired now: ${error.message}`);
    if (isEnded) return;
    if (found === undefined) return options.onNext();
    if (found !== problem) options.log.warn({}, `the log is to begin anew: ${found}`);
    problem = found;
    timer = setTimeout(() => void go(), againMs);
  };
  void go();
  return {
    get problem() {
      return problem;
    },
    close() {
      isEnded = true;
      clearTimeout(timer);
    },
  };
}

const isOther = (log: string | undefined, own: string): boolean => log !== undefined && log !== own;

/** Resolves with what stands in the way, or with undefined when this node has begun the next generation. */
async function tryOnce(options: RepairOptions, onBegin: () => void): Promise<string | undefined> {
  const { replicaLog, cluster, run, peers, extent, hasRead } = options;
  const { connection } = replicaLog;
  const ask = (of: string, what = '') =>
    connection.request(subjectOf(cluster, of), what, { timeout: askMs }).then(({ data }) => data);
  const isOfLog = ({ log }: HeardPeer): boolean => log === extent().id;
  const heard = peers.all();
  if (!hasRead && heard.length < extent().copies)
    return `${heard.length} of ${extent().copies} nodes are here: start the others, one that is gone with a new folder`;
  const here = heard.filter((peer) => isOfLog(peer) && peer.heardMs < freshMs);
  const late = here.find(({ isFrozen }) => !isFrozen);
  if (late !== undefined) return `it waits for node ${late.node} to stop`;
  const tails = await Promise.all(
    here.map(async ({ run: of }) => JSON.parse(Buffer.from(await ask(of)).toString()) as ToldTail),
  );
  for (const { lastWrite, ...peer } of tails.flatMap((told) => told.heard).filter(isOfLog)) {
    if (tails.some(({ node }) => node === peer.node)) continue;
    if (peer.heardMs < awayMs) return `it waits for node ${peer.node}`;
    if (lastWrite !== undefined && !tails.some((told) => hasApplied(told, lastWrite)))
      return `node ${peer.node} has applied message ${lastWrite.sequence}, which no other has: start it again, or start the others anew to go on without it`;
  }
  const choice = chooseBase(tails);
  if (choice === undefined)
    return `nodes have applied different messages, and do not know which (${tails.map(spanOf).join(', ')}): keep one of them, and start the others with new folders`;
  if (choice.base.run !== run) return `it waits for node ${choice.base.node} to begin the next generation`;
  const records: Framed[] = [];
  for (const { of, message } of choice.missing) {
    const group = await ask(of.run, String(message.sequence));
    if (group.length === 0) return tooMuch;
    records.push(...recordsOf(group));
  }
  onBegin();
  return await begin(options, records, Math.max(...tails.map(({ messages }) => messages.at(-1)!.sequence)));
}

const spanOf = ({ node, messages }: NodeTail): string =>
  `${node} knows ${messages[0]!.sequence} to ${messages.at(-1)!.sequence}`;

const tooMuch =
  'nodes have applied more different messages than can be put together: keep one of them, and start the others with new folders';

async function begin(
  { node, replicaLog, store, log }: RepairOptions,
  records: readonly Framed[],
  offset: number,
): Promise<string | undefined> {
  const [id, base] = [randomUUID(), randomUUID()];
  const message = foundingMessage(node, base, offset, records);
  if (message.length > replicaLog.maxBytes) return tooMuch;
  const position = { ...firstPosition(id, offset), base };
  await store.append({ workspace: defaultWorkspace, changes: [keepPosition(position, 'next')] });
  await replicaLog.begin(id, offset, message);
  log.warn({ records: records.length }, 'the log has begun anew, with records that only other nodes had');
  return undefined;
}
