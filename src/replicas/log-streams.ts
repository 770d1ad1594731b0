import { randomUUID } from 'node:crypto';
import type { JetStreamManager } from '@nats-io/jetstream';

/** What the description of a stream says of the log that it is. */
export interface Made {
  /** The identity of the log: each generation has another, and one that was made anew under the same name. */
  readonly id: string;
  /** When it was made by the clock of its servers, ms since the Unix epoch: the same on every node. */
  readonly madeAt?: number;
  /** The place before its first message: places go on from generation to generation. */
  readonly offset: number;
  /** The identities of the generations before. */
  readonly before: readonly string[];
}

/** A message that a majority of the servers has. */
export interface LogMessage {
  /** Its place: each message has another, and later ones have larger ones. */
  readonly sequence: number;
  /** The time that the log gave it, ms since the Unix epoch: the same on every node. */
  readonly at: number;
  readonly data: Uint8Array;
}

/** What the log holds. */
export interface LogExtent extends Made {
  readonly madeAt: number;
  readonly generation: number;
  /** Whether it takes no more messages: a node has found that it lost some. */
  readonly isSealed: boolean;
  readonly first: number;
  readonly last: number;
  readonly bytes: number;
  /** How many servers keep it. */
  readonly copies: number;
  /** The server that leads, and those that it knows of. */
  readonly leader: string | undefined;
  readonly servers: readonly { readonly name: string; readonly isCurrent: boolean }[];
}

/** Where the generations of a log are, and how they are made. */
export interface LogPlace {
  readonly cluster: string;
  /** How many servers keep it. */
  readonly copies: number;
  readonly maxBytes: number;
}

/** What a later generation takes until it is furnished: the one before is there still, with all of its messages. */
const firstBytes = 8 << 20;

/** Each message id is remembered so long, in ns: longer than any publisher tries. */
const duplicateWindowNs = 120_000_000_000;

export const streamOf = (cluster: string, generation: number): string =>
  `PITWALL_${cluster}${generation === 1 ? '' : `~${generation}`}`;
export const subjectOf = (cluster: string, generation: number): string =>
  `pitwall.replicas.${cluster}${generation === 1 ? '' : `.log.${generation}`}`;

/** The newest generation that has messages; the first where none has, which is made where it is not there. */
export async function newestGeneration(manager: JetStreamManager, place: LogPlace): Promise<number> {
  const generations: number[] = [];
  const [first, begin] = [streamOf(place.cluster, 1), `${streamOf(place.cluster, 1)}~`];
  for await (const name of manager.streams.names()) {
    if (name === first) generations.push(1);
    else if (name.startsWith(begin)) generations.push(Number(name.slice(begin.length)));
  }
  for (const generation of generations.sort((a, b) => b - a)) {
    if (generation === 1) break;
    const { state } = await manager.streams.info(streamOf(place.cluster, generation));
    if (state.last_seq > 0) return generation;
  }
  return 1;
}

/** Makes the first generation where it is not there, and gives any one that takes messages the copies and bytes that are asked for. */
export async function furnishStream(
  manager: JetStreamManager,
  place: LogPlace,
  generation: number,
): Promise<Made> {
  const { copies, maxBytes, cluster } = place;
  const name = streamOf(cluster, generation);
  const { JetStreamApiError } = await import('@nats-io/jetstream');
  try {
    const { config } = await manager.streams.info(name);
    const more = copies > config.num_replicas;
    if (config.sealed !== true && (config.max_bytes !== maxBytes || more))
      await manager.streams
        .update(name, { max_bytes: maxBytes, ...(more && { num_replicas: copies }) })
        .catch(tellRoom(maxBytes));
  } catch (error) {
    if (!(error instanceof JetStreamApiError) || error.status !== 404 || generation > 1) throw error;
    const adding = addStream(manager, place, 1, { id: randomUUID(), offset: 0, before: [] });
    await adding.catch(async (failure: unknown) => {
      // Another node may have made it at the same moment.
      await manager.streams.info(name).catch(() => {
        throw failure;
      });
    });
  }
  // Who made it may have been killed before it said when.
  return await tellWhenMade(manager, name);
}

/** Rejects where another node has made it. */
export async function addStream(
  manager: JetStreamManager,
  { cluster, copies, maxBytes }: LogPlace,
  generation: number,
  made: Made,
): Promise<void> {
  const stream = {
    name: streamOf(cluster, generation),
    description: JSON.stringify(made),
    subjects: [subjectOf(cluster, generation)],
    num_replicas: copies,
    duplicate_window: duplicateWindowNs,
    max_bytes: generation === 1 ? maxBytes : Math.min(maxBytes, firstBytes),
  };
  await manager.streams.add(stream).catch(tellRoom(stream.max_bytes));
}

/** Throws what NATS says, and where it has no room for a log of so many bytes how an operator gives it. */
const tellRoom =
  (bytes: number) =>
  (error: Error): never => {
    if (!/insufficient storage/.test(error.message)) throw error;
    throw new Error(
      `the servers of NATS have no room for a log of ${bytes} bytes: ask for less with --log-bytes, or give JetStream more (max_file_store)`,
    );
  };

/** Has a stream take no more messages, and gives back the room that was kept for more. */
export async function sealStream(manager: JetStreamManager, name: string): Promise<void> {
  const { config, state } = await manager.streams.info(name);
  const sealed = { sealed: true, max_bytes: Math.max(1 << 20, state.bytes) };
  if (!config.sealed) await manager.streams.update(name, sealed as object);
}

/** Keeps with a stream when it was made: what NATS says of that differs from server to server, and clocks of nodes may be wrong. */
async function tellWhenMade(manager: JetStreamManager, name: string): Promise<Made> {
  const { config, created } = await manager.streams.info(name);
  const made = madeOf(config.description);
  if (made.madeAt !== undefined || config.sealed) return made;
  const told = { ...made, madeAt: Date.parse(created) };
  await manager.streams.update(name, { description: JSON.stringify(told) });
  return told;
}

export function madeOf(description: string | undefined): Made {
  const { id, offset = 0, before = [], ...more } = JSON.parse(description ?? '{}') as Partial<Made>;
  if (id === undefined) throw new Error('the stream of NATS is not one that replicas of Pitwall have made');
  return { id, offset, before, ...more };
}
