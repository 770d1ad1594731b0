import type { EndType, StreamProperties } from '../../../domain/stream.ts';

/**
 * Every stream of the store by its number, field by field in dense arrays: a million streams as objects would
 * cost a gigabyte and seconds of garbage collection. Numbers begin at 1 and are never used twice; a number that
 * was reserved and not committed, or that was removed, is not `visible`.
 */
export interface StreamTable {
  /** One more than the highest number in use. */
  readonly size: number;
  /** Takes the next number for a stream that is not visible yet. */
  reserve(topic: number, id: string): number;
  /** Puts a stream at its number, as recovery and the manifest know it. */
  place(number: number, topic: number, id: string): void;
  readonly id: (number: number) => string;
  readonly topic: (number: number) => number;
  /** The topic of each stream, in shared memory: longer than the table as a rule, and replaced when it is full. */
  readonly topics: Uint32Array;
  isVisible(number: number): boolean;
  show(number: number, createdAt: number): void;
  remove(number: number): void;
  /** How many visible streams a topic has. */
  visibleIn(topic: number): number;
  /** Whether the manifest holds the stream's number, so that log records need not say it. */
  isPersisted(number: number): boolean;
  setPersisted(number: number): void;
  /** The fields that change; read and written in place. */
  readonly rows: StreamColumns;
}

export interface StreamColumns {
  /** Milliseconds since the Unix epoch. */
  readonly createdAt: number[];
  readonly lastUpdate: number[];
  /** When it was last written to: deletes of rows move `lastUpdate` alone, and do not make it open again. */
  readonly lastWrite: number[];
  /** Nanoseconds; meaningless while the stream has no data. */
  readonly dataStart: bigint[];
  readonly dataEnd: bigint[];
  readonly hasData: boolean[];
  /** How the stream was ended, undefined while it is open. */
  readonly ended: (EndType | undefined)[];
  /** Soft-deleted: it shows nowhere, and keeps what it has. */
  readonly softDeleted: boolean[];
  /** A removal for good is on its way to the disk: who writes to its id from now on writes to another stream. */
  readonly leaving: boolean[];
  /** Number in ParameterSets. */
  readonly parameters: number[];
  readonly properties: (StreamProperties | undefined)[];
}

const firstStreams = 1024;

export function streamTable(): StreamTable {
  const ids: string[] = [''];
  let topics = new Uint32Array(new SharedArrayBuffer(4 * firstStreams));
  const visible: boolean[] = [false];
  /** Visible streams by topic. */
  const counts = new Map<number, number>();
  const persisted: boolean[] = [false];
  const rows: StreamColumns = {
    createdAt: [0],
    lastUpdate: [0],
    lastWrite: [0],
    dataStart: [0n],
    dataEnd: [0n],
    hasData: [false],
    ended: [undefined],
    softDeleted: [false],
    leaving: [false],
    parameters: [0],
    properties: [undefined],
  };

  function place(number: number, topic: number, id: string): void {
    while (ids.length <= number) {
      ids.push('');
      visible.push(false);
      persisted.push(false);
      rows.createdAt.push(0);
      rows.lastUpdate.push(0);
      rows.lastWrite.push(0);
      rows.dataStart.push(0n);
      rows.dataEnd.push(0n);
      rows.hasData.push(false);
      rows.ended.push(undefined);
      rows.softDeleted.push(false);
      rows.leaving.push(false);
      rows.parameters.push(0);
      rows.properties.push(undefined);
    }
    if (number >= topics.length) {
      const larger = new Uint32Array(new SharedArrayBuffer(8 * (number + 1)));
      larger.set(topics);
      topics = larger;
    }
    ids[number] = id;
    topics[number] = topic;
  }

  function setVisible(number: number, now: boolean): void {
    if (visible[number] === now) return;
    visible[number] = now;
    const topic = topics[number]!;
    counts.set(topic, (counts.get(topic) ?? 0) + (now ? 1 : -1));
  }

  return {
    get size() {
      return ids.length;
    },
    reserve(topic, id) {
      const number = ids.length;
      place(number, topic, id);
      return number;
    },
    place,
    id: (number) => ids[number]!,
    topic: (number) => topics[number]!,
    get topics() {
      return topics;
    },
    isVisible: (number) => visible[number] === true,
    show(number, createdAt) {
      setVisible(number, true);
      rows.createdAt[number] = createdAt;
    },
    remove(number) {
      setVisible(number, false);
      persisted[number] = false;
      ids[number] = '';
      topics[number] = 0;
      rows.dataStart[number] = 0n;
      rows.dataEnd[number] = 0n;
      rows.hasData[number] = false;
      rows.ended[number] = undefined;
      rows.softDeleted[number] = false;
      rows.leaving[number] = false;
      rows.parameters[number] = 0;
      rows.properties[number] = undefined;
    },
    visibleIn: (topic) => counts.get(topic) ?? 0,
    isPersisted: (number) => persisted[number] === true,
    setPersisted(number) {
      persisted[number] = true;
    },
    rows,
  };
}
