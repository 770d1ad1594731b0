import type { ParameterKey } from '../domain/parameter-data.ts';
import type { StreamFilter } from '../domain/query.ts';
import type { StateName } from '../ingest/alerts/rule-states.ts';
import type { Announcement } from '../ingest/announcement.ts';
import { rowsOfEvents } from '../ingest/event-rows.ts';
import type { ByteReader, ByteWriter } from '../live/nats/bytes.ts';
import { byteReader, byteWriter } from '../live/nats/bytes.ts';
import { readContent, writeContent } from '../live/nats/package.ts';
import type { NumberRoom } from '../live/nats/rows.ts';
import type { Selection } from '../query/plan/plan.ts';
import type { Batch, Change, StreamsChange } from '../store/store.ts';
import { whole } from '../turns/steps.ts';

/**
 * What changes state, as all replicas apply it, in the order of the log. Whatever it needs from clocks, ids or random
 * numbers is in it, but for the time, which the log gives to its message.
 */
export type LogRecord =
  /** What a client writes to streams: what is said of each, and changes of which no reader hears. */
  | {
      readonly type: 'write';
      readonly workspace: string;
      readonly announcements: readonly Announcement[];
      readonly more: readonly Change[];
    }
  /** Changes of tokens, workspaces and kept documents. */
  | { readonly type: 'append'; readonly workspace: string; readonly changes: readonly Change[] }
  | {
      readonly type: 'streams';
      readonly workspace: string;
      readonly action: StreamsChange['action'];
      readonly filter: StreamFilter;
      readonly now: number;
    }
  | {
      readonly type: 'rows';
      readonly selection: Selection;
      readonly parameters: readonly ParameterKey[] | undefined;
    }
  /** A rule fires because a stream was silent for too long: where its state is still this one, as it is kept. */
  | { readonly type: 'silence'; readonly name: StateName; readonly state: string }
  /** The first of all: the log builds on the data of a node, which has kept the same id. Who does not have them takes a backup. */
  | { readonly type: 'found'; readonly node: string; readonly base: string }
  /**
   * A node takes the lease, or renews it: what is done by one node at a time is done by its holder. Nothing where the lease
   * has changed since the record that it names.
   */
  | { readonly type: 'lease'; readonly node: string; readonly after: number };

/**
 * u8 version 1, u8 1 for a write and 0 for others. Others are text, JSON with integers of 64 bits as `{"$i64": digits}`.
 * A write: text workspace, varint number of what is said, for each text topic, text stream, f64 bytes, u8 whether it is
 * quiet, content (`live/nats/package.ts`); then the other changes as such JSON.
 */
export const recordVersion = 1;

export function encodeRecord(record: LogRecord): Buffer {
  const to = byteWriter();
  to.u8(recordVersion);
  to.u8(record.type === 'write' ? 1 : 0);
  if (record.type === 'write') writeWrite(to, record);
  else to.text(jsonOf(record));
  return to.done();
}

/** What this release knows. */
const recordTypes: Record<LogRecord['type'], true> = {
  write: true,
  append: true,
  streams: true,
  rows: true,
  silence: true,
  found: true,
  lease: true,
};
const changeTypes: Record<Change['type'], true> = {
  rows: true,
  stream: true,
  parameterDefinitions: true,
  eventDefinitions: true,
  close: true,
  topic: true,
  token: true,
  revokeToken: true,
  keep: true,
  forget: true,
  workspace: true,
  removeWorkspace: true,
};
const actions: Record<StreamsChange['action'], true> = { softDelete: true, hardDelete: true, restore: true };

/**
 * Throws an Error where the bytes are no record that this release knows.
 *
 * @param array where its numbers go
 */
export function decodeRecord(bytes: Uint8Array, array = newNumbers): LogRecord {
  const from = byteReader(bytes);
  const read = from.u8();
  if (read > recordVersion) throw new RangeError(`a record of version ${read}`);
  const record = from.u8() === 1 ? readWrite(from, array) : (ofJson(from.text()) as LogRecord);
  requireKnown(recordTypes, record.type);
  if (record.type === 'streams') requireKnown(actions, record.action);
  if (record.type === 'append') for (const { type } of record.changes) requireKnown(changeTypes, type);
  if (record.type === 'write') for (const { type } of record.more) requireKnown(changeTypes, type);
  return record;
}

const newNumbers: NumberRoom['array'] = (count) => new Float64Array(count);

function requireKnown(known: object, name: string): void {
  if (!Object.hasOwn(known, name)) throw new RangeError(`'${name}' is not known`);
}

/** What a client writes as a record: `said` has the order of the changes, and those of which nobody hears come behind. */
export function writeRecord(
  workspace: string,
  changes: Batch['changes'],
  announcements: readonly Announcement[],
): Extract<LogRecord, { type: 'write' }> {
  return { type: 'write', workspace, announcements, more: changes.slice(announcements.length) };
}

/** The changes of a write, in the order of what is said, then the others. */
export function changesOf({ announcements, more }: Extract<LogRecord, { type: 'write' }>): Change[] {
  return [...announcements.map(changeOf), ...more];
}

function changeOf({ topic, streamId, content, quiet }: Announcement): Change {
  const place = { topic, streamId, ...(quiet === true && { quiet }) };
  switch (content.type) {
    case 'parameterData':
      return { ...place, type: 'rows', rows: content.rows };
    case 'eventData':
      return { ...place, type: 'rows', rows: rowsOfEvents(content.events) };
    case 'stream': {
      const { properties } = content;
      return { topic, streamId, type: 'stream', ...(properties !== undefined && { properties }) };
    }
    default:
      return { ...place, ...content };
  }
}

function writeWrite(
  to: ByteWriter,
  { workspace, announcements, more }: Extract<LogRecord, { type: 'write' }>,
): void {
  to.text(workspace);
  to.varint(announcements.length);
  for (const { topic, streamId, bytes, content, quiet } of announcements) {
    to.text(topic);
    to.text(streamId);
    to.f64(bytes);
    to.u8(quiet === true ? 1 : 0);
    whole(writeContent(to, content));
  }
  to.text(jsonOf(more));
}

function readWrite(from: ByteReader, array: NumberRoom['array']): LogRecord {
  const workspace = from.text();
  const announcements: Announcement[] = Array.from({ length: from.varint() }, () => {
    const place = { topic: from.text(), streamId: from.text(), bytes: from.f64() };
    const quiet = from.u8() === 1;
    return { ...place, content: readContent(from, array), ...(quiet && { quiet }) };
  });
  return { type: 'write', workspace, announcements, more: ofJson(from.text()) as Change[] };
}

function jsonOf(value: unknown): string {
  return JSON.stringify(value, (_key, one: unknown) =>
    typeof one === 'bigint' ? { $i64: String(one) } : one,
  );
}

function ofJson(text: string): unknown {
  return JSON.parse(text, (_key, one: unknown) => {
    const digits = (one as { $i64?: unknown } | null)?.$i64;
    return typeof digits === 'string' ? BigInt(digits) : one;
  });
}

/** Memory for the numbers of records that are there at one time, which those use that come after them. */
export interface RecordMemory {
  readonly array: NumberRoom['array'];
  /** Nobody needs what was read so far. */
  reuse(): void;
}

/** More numbers are not kept. */
const mostNumbers = 2 << 20;

export function recordMemory(): RecordMemory {
  let block = new Float64Array(1 << 14);
  let used = 0;
  return {
    array(count) {
      if (used + count > block.length) {
        block = new Float64Array(Math.max(2 * block.length, count));
        used = 0;
      }
      used += count;
      return block.subarray(used - count, used);
    },
    reuse() {
      used = 0;
      if (block.length > mostNumbers) block = new Float64Array(mostNumbers);
    },
  };
}
