import { crc32 } from 'node:zlib';
import { byteReader, byteWriter } from '../live/nats/bytes.ts';
import type { LogChain, ReadUpTo } from './log-chain.ts';

/** Why this node cannot go on with the log, and what its operator has to do. */
export class CannotGoOn extends Error {}

/** The log lost messages that a majority of its servers had, as this node has seen. */
export class MessagesLost extends CannotGoOn {
  constructor(what: string) {
    super(`${what}: its servers have lost messages`);
  }
}

/** What `read` makes of a message. A node passes over nothing that it cannot read, for that may be a write: it stops. */
export function readMessage<Result>(sequence: number, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    if (error instanceof CannotGoOn) throw error;
    throw new CannotGoOn(
      `this release cannot read message ${sequence} of the log (${(error as Error).message}): upgrade this node, or see who else writes to the log`,
    );
  }
}

/**
 * Returns what tells a message from others: its sender and number are among its bytes. Its time does not: a message that its sender
 * sends again, for want of an answer, may come to stand in the same place with another one.
 */
export function markOf(message: Uint8Array): number {
  return crc32(message);
}

/** One record of a node, with the id under which who wrote it waits for it. */
export interface Framed {
  readonly id: string;
  readonly record: Uint8Array;
}

/** A group of records of one node, which sends one at a time. */
export interface GroupName {
  /** The run of the node: another after each of its starts. */
  readonly sender: string;
  readonly number: number;
  /** What the node had read of the log as it sent the group: who reads that has to have read the same. */
  readonly after: ReadUpTo;
}

/**
 * What a message of the log holds: u8 version 1, text sender, varint number of the group, varint sequence and varint chain of what was
 * read, varint index and varint count of the parts that the group was cut into, and the bytes of the part. A group: varint number of
 * records, for each text id and bytes.
 */
const version = 1;
/** What stands before a part: more than it ever takes. */
const partHeadBytes = 96;

export function encodeGroup(records: readonly Framed[]): Buffer {
  const to = byteWriter();
  to.varint(records.length);
  for (const { id, record } of records) {
    to.text(id);
    to.bytes(record);
  }
  return to.done();
}

/** The messages of a group, of so many bytes at most. */
export function partsOf(
  { sender, number, after }: GroupName,
  group: Uint8Array,
  mostBytes: number,
): Buffer[] {
  const room = mostBytes - partHeadBytes;
  const count = Math.max(1, Math.ceil(group.length / room));
  return Array.from({ length: count }, (_, i) => {
    const to = byteWriter();
    to.u8(version);
    to.text(sender);
    to.varint(number);
    to.varint(after.sequence);
    to.varint(after.chain);
    to.varint(i);
    to.varint(count);
    to.raw(group.subarray(i * room, (i + 1) * room));
    return to.done();
  });
}

interface Unfinished {
  readonly number: number;
  /** Of the log: where its first part stands. */
  readonly sequence: number;
  readonly at: number;
  readonly parts: Uint8Array[];
}

/** The rest of a group comes within this time (ms of the log), or its node died. */
const patienceMs = 600_000;

/** Puts groups together of their parts. */
export class Groups {
  /** By sender. */
  readonly #unfinished = new Map<string, Unfinished>();
  readonly #chain: Pick<LogChain, 'differsFrom'> | undefined;

  /** @param chain of the messages before; without it, it is not looked whether these are those that senders have read */
  constructor(chain?: Pick<LogChain, 'differsFrom'>) {
    this.#chain = chain;
  }

  /**
   * The records of the group that a message makes whole; undefined where more is to come. Throws MessagesLost, or a
   * RangeError where the bytes are no message that this release knows.
   *
   * @param sequence its place in the log
   * @param at the time that the log gave it, ms since the Unix epoch
   */
  take(message: Uint8Array, sequence: number, at: number): Framed[] | undefined {
    const from = byteReader(message);
    const its = from.u8();
    if (its > version) throw new RangeError(`it has version ${its}`);
    const sender = from.text();
    const number = from.varint();
    const after = { sequence: from.varint(), chain: from.varint() };
    const index = from.varint();
    const count = from.varint();
    const part = message.subarray(message.length - from.left());
    this.#forgetOlder(at);
    if (this.#chain?.differsFrom(after) === true)
      throw new MessagesLost(
        `message ${sequence} builds on others than this node has read up to ${after.sequence}`,
      );
    // The whole of a group that its node had given up is taken where it stands.
    if (count === 1) return recordsOf(part);
    let group = this.#unfinished.get(sender);
    // A part that comes after its node has gone on: the rest will not come, or is there.
    if (group !== undefined && number < group.number) return undefined;
    if (group?.number !== number) {
      group = { number, sequence, at, parts: [] };
      this.#unfinished.set(sender, group);
    }
    // Of a part that came twice the first one counts.
    if (group.parts.length === index) group.parts.push(part.slice());
    if (group.parts.length < count) return undefined;
    this.#unfinished.delete(sender);
    return recordsOf(Buffer.concat(group.parts));
  }

  /** The first place of the log that is needed for groups that are not whole yet. */
  firstNeeded(): number | undefined {
    let first: number | undefined;
    for (const { sequence } of this.#unfinished.values())
      first = Math.min(first ?? Number.POSITIVE_INFINITY, sequence);
    return first;
  }

  #forgetOlder(now: number): void {
    for (const [sender, { at }] of this.#unfinished)
      if (now - at > patienceMs) this.#unfinished.delete(sender);
  }
}

/** What `encodeGroup` wrote. */
export function recordsOf(group: Uint8Array): Framed[] {
  const from = byteReader(group);
  return Array.from({ length: from.varint() }, () => ({ id: from.text(), record: from.bytes() }));
}
