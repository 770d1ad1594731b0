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
  /** 0 of a stream that was removed. */
  readonly topic: (number: number) => number;
  /**
   * The topic of each stream, in shared memory: longer than the table as a rule, and replaced when it is full. That of a stream
   * that was removed stays: reads that began before go by it.
   */
  readonly topics: Uint32Array;
  isVisible(number: number): boolean;
  show(number: number, createdAt: number): void;
  /** Takes the stream out of sight; what it has stays until `remove`. */
  hide(number: number): void;
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
  readonly createdAt: Float64Array;
  readonly lastUpdate: Float64Array;
  /**
   * When it was last written to: deletes of rows move `lastUpdate` alone, and do not make it open again; that never goes back,
   * though the clock does.
   */
  readonly lastWrite: Float64Array;
  /** Nanoseconds; meaningless while the stream has no data. */
  readonly dataStart: BigInt64Array;
  readonly dataEnd: BigInt64Array;
  readonly hasData: boolean[];
  /** How the stream was ended, undefined while it is open. */
  readonly ended: (EndType | undefined)[];
  /** Soft-deleted: it shows nowhere, and keeps what it has. */
  readonly softDeleted: boolean[];
  /** A removal for good is on its way to the disk: who writes to its id from now on writes to another stream. */
  readonly leaving: boolean[];
  /** Number in ParameterSets. */
  readonly parameters: Uint32Array;
  readonly properties: (StreamProperties | undefined)[];
}

const firstStreams = 1024;

/** How a number shows: not at all, as a stream, or as one that was removed. */
const [hidden, shown, gone] = [0, 1, 2];

export function streamTable(): StreamTable {
  let size = 1;
  let ids: string[] = [''];
  let topics = new Uint32Array(new SharedArrayBuffer(4 * firstStreams));
  let showing = new Uint8Array(firstStreams);
  let persisted = new Uint8Array(firstStreams);
  /** Visible streams by topic. */
  const counts: number[] = [];
  // Those of fixed width are replaced when there are more streams than they have room for.
  const rows: { -readonly [Name in keyof StreamColumns]: StreamColumns[Name] } = {
    createdAt: new Float64Array(firstStreams),
    lastUpdate: new Float64Array(firstStreams),
    lastWrite: new Float64Array(firstStreams),
    dataStart: new BigInt64Array(firstStreams),
    dataEnd: new BigInt64Array(firstStreams),
    hasData: [false],
    ended: [undefined],
    softDeleted: [false],
    leaving: [false],
    parameters: new Uint32Array(firstStreams),
    properties: [undefined],
  };

  function makeRoom(wanted: number): void {
    if (wanted <= topics.length) return;
    // One after another they would grow many times, and be copied each time.
    if (wanted > 2 * topics.length) {
      ids = longer(ids, wanted);
      rows.hasData = longer(rows.hasData, wanted);
      rows.ended = longer(rows.ended, wanted);
      rows.softDeleted = longer(rows.softDeleted, wanted);
      rows.leaving = longer(rows.leaving, wanted);
      rows.properties = longer(rows.properties, wanted);
    }
    const room = Math.max(wanted, Math.ceil(topics.length * 1.25));
    topics = grown(topics, new Uint32Array(new SharedArrayBuffer(4 * room)));
    showing = grown(showing, new Uint8Array(room));
    persisted = grown(persisted, new Uint8Array(room));
    rows.createdAt = grown(rows.createdAt, new Float64Array(room));
    rows.lastUpdate = grown(rows.lastUpdate, new Float64Array(room));
    rows.lastWrite = grown(rows.lastWrite, new Float64Array(room));
    rows.dataStart = grown(rows.dataStart, new BigInt64Array(room));
    rows.dataEnd = grown(rows.dataEnd, new BigInt64Array(room));
    rows.parameters = grown(rows.parameters, new Uint32Array(room));
  }

  function place(number: number, topic: number, id: string): void {
    makeRoom(number + 1);
    for (; size <= number; size++) {
      ids[size] = '';
      rows.hasData[size] = false;
      rows.ended[size] = undefined;
      rows.softDeleted[size] = false;
      rows.leaving[size] = false;
      rows.properties[size] = undefined;
    }
    ids[number] = id;
    topics[number] = topic;
    if (showing[number] === gone) showing[number] = hidden;
  }

  function setShowing(number: number, now: number): void {
    const topic = topics[number]!;
    while (counts.length <= topic) counts.push(0);
    counts[topic]! += Number(now === shown) - Number(showing[number] === shown);
    showing[number] = now;
  }

  return {
    get size() {
      return size;
    },
    reserve(topic, id) {
      const number = size;
      place(number, topic, id);
      return number;
    },
    place,
    id: (number) => ids[number]!,
    topic: (number) => (showing[number] === gone ? 0 : topics[number]!),
    get topics() {
      return topics;
    },
    isVisible: (number) => showing[number] === shown,
    show(number, createdAt) {
      setShowing(number, shown);
      rows.createdAt[number] = createdAt;
    },
    hide: (number) => setShowing(number, hidden),
    remove(number) {
      setShowing(number, gone);
      persisted[number] = 0;
      ids[number] = '';
      rows.dataStart[number] = 0n;
      rows.dataEnd[number] = 0n;
      rows.hasData[number] = false;
      rows.ended[number] = undefined;
      rows.softDeleted[number] = false;
      rows.leaving[number] = false;
      rows.parameters[number] = 0;
      rows.properties[number] = undefined;
    },
    visibleIn: (topic) => counts[topic] ?? 0,
    isPersisted: (number) => persisted[number] === 1,
    setPersisted(number) {
      persisted[number] = 1;
    },
    rows,
  };
}

/** Copies values to an array with memory for `room` of them. */
function longer<Value>(values: readonly Value[], room: number): Value[] {
  const made = new Array<Value>(room);
  for (const [i, value] of values.entries()) made[i] = value;
  return made;
}

function grown<Values extends { set(values: Values): void }>(values: Values, into: Values): Values {
  into.set(values);
  return into;
}
