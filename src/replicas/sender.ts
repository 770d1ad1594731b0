import { PitwallError } from '../errors.ts';
import { inNextTurn } from '../turns/rest.ts';
import { encodeGroup, type Framed, partsOf } from './frame.ts';
import type { ReadUpTo } from './log-chain.ts';
import type { ReplicaLog } from './nats-log.ts';

/** Sends the records of this node to the log, one group at a time, so that they keep their order. */
export interface Sender {
  /** Whether the log took the last group. */
  readonly isTaken: boolean;
  /** For how long (ms) the log has taken nothing though it was sent something; 0 where it takes what it is sent. */
  stuckMs(): number;
  /** The log has taken a message of another node: there is a majority. */
  othersAreTaken(): void;
  /**
   * Resolves when a majority has the record. Rejects with `not_ready` (503) where the log does not say so in time: it may have it all
   * the same, and then it is applied.
   */
  send(id: string, record: Uint8Array): Promise<void>;
}

/** A leader that dies is replaced within five seconds. */
const patienceMs = 8000;
/** The same where there was no majority for the group before. */
const shortPatienceMs = 1000;
const attemptMs = 2500;
const pauseMs = 100;
/** Bytes of records that make a group. */
const groupBytes = 8 << 20;

interface Waiting extends Framed {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * @param run the run of this node, of which no other has the name
 * @param read what this node has read of the log
 * @param onTaken told of the place of each message that the log has taken
 */
export function createSender(
  log: Pick<ReplicaLog, 'publish' | 'isConnected' | 'maxBytes'>,
  run: string,
  read: () => ReadUpTo,
  onTaken: (sequence: number) => void,
): Sender {
  let waiting: Waiting[] = [];
  let isSending = false;
  let isTaken = true;
  let number = 0;
  /** When the message was sent first that the log has not taken, or another after that. */
  let stuckSince: number | undefined;

  async function sendAll(): Promise<void> {
    isSending = true;
    while (waiting.length > 0) {
      const group = takeGroup();
      try {
        await sendGroup(group);
        for (const { resolve } of group) resolve();
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
    isSending = false;
  }

  function takeGroup(): Waiting[] {
    let bytes = 0;
    let count = 0;
    for (; count < waiting.length && (count === 0 || bytes < groupBytes); count++)
      bytes += waiting[count]!.record.length;
    const group = waiting.slice(0, count);
    waiting = waiting.slice(count);
    return group;
  }

  /** Parts go one after the other, each until the log has it: a repeat is known by its id. */
  async function sendGroup(group: readonly Framed[]): Promise<void> {
    const name = { sender: run, number: number++, after: read() };
    const until = performance.now() + (isTaken ? patienceMs : shortPatienceMs);
    const parts = partsOf(name, encodeGroup(group), log.maxBytes);
    const ids = parts.map((_part, i) => `${run}.${name.number}.${i}`);
    for (const [i, part] of parts.entries()) await publish(ids[i]!, part, until);
  }

  async function publish(id: string, part: Uint8Array, until: number): Promise<void> {
    stuckSince ??= performance.now();
    for (;;) {
      const left = until - performance.now();
      try {
        if (!log.isConnected) throw new Error('there is no connection to the log');
        onTaken(await log.publish(id, part, Math.max(100, Math.min(left, attemptMs))));
        isTaken = true;
        stuckSince = undefined;
        return;
      } catch (error) {
        if (performance.now() + pauseMs >= until) {
          isTaken = false;
          throw new PitwallError('not_ready', {
            detail: `no majority of the log has taken the write: ${(error as Error).message}`,
            retryAfter: 1,
          });
        }
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
      }
    }
  }

  return {
    get isTaken() {
      return isTaken;
    },
    stuckMs: () => (stuckSince === undefined ? 0 : performance.now() - stuckSince),
    othersAreTaken() {
      isTaken = true;
      stuckSince = undefined;
    },
    send(id, record) {
      return new Promise((resolve, reject) => {
        waiting.push({ id, record, resolve, reject });
        // What comes in the same turn goes in the same group.
        if (!isSending) {
          isSending = true;
          inNextTurn(() => void sendAll());
        }
      });
    },
  };
}
