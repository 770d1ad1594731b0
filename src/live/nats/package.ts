import type { EventDefinition, ParameterDefinition } from '../../domain/definition.ts';
import type { EventRow } from '../../domain/event-data.ts';
import type { EndType, StreamProperties } from '../../domain/stream.ts';
import { tagSetOfKey } from '../../domain/tags.ts';
import { type Steps, whole } from '../../turns/steps.ts';
import type { LiveContent, LivePackage } from '../live-package.ts';
import { type ByteReader, type ByteWriter, byteReader, byteWriter } from './bytes.ts';
import { type NumberRoom, readCount, readRows, writeRows } from './rows.ts';

/**
 * A package as nodes send it to each other (primitives: `bytes.ts`).
 *
 *   u8 version 2, u8 content (the index in `contents`), text workspace, text topic as it was written, text stream
 *   parameterData: varint number of Rows, the Rows (`rows.ts`)
 *   eventData: varint number of events, for each: text id, i64 timestamp, text value, text canonical tags
 *   definitions, stream: text, JSON (numbers there are finite doubles, which JSON keeps)
 *   close: text end type
 *
 * A node of another version reads nothing of it: the version stands in the subject too (`link.ts`). The content stands in records of
 * replicas too: where it changes, their version does (`replicas/record.ts`).
 */
const version = 2;

/** About the most memory of a package in which content is sent, but for a single value that is larger. */
export const maxPackageBytes = 32 << 20;

const contents = [
  'parameterData',
  'eventData',
  'parameterDefinitions',
  'eventDefinitions',
  'stream',
  'close',
] as const satisfies readonly LiveContent['type'][];

/** A package with its content; who counts its bytes is its own node. */
export type WholePackage = Pick<LivePackage, 'workspace' | 'topic' | 'streamId'> & {
  readonly content: LiveContent;
};

export function encodePackage(content: WholePackage): Buffer {
  return whole(encodeSteps(content));
}

/** Encodes a package in steps of a column, or of some events. */
export function* encodeSteps({ workspace, topic, streamId, content }: WholePackage): Steps<Buffer> {
  const to = byteWriter();
  to.u8(version);
  to.u8(contents.indexOf(content.type));
  to.text(workspace);
  to.text(topic);
  to.text(streamId);
  yield* writeFields(to, content);
  return to.done();
}

/** Throws a RangeError or SyntaxError where the bytes are no package of this version. */
export function decodePackage(bytes: Uint8Array): WholePackage {
  const from = byteReader(bytes);
  const read = from.u8();
  if (read !== version) throw new RangeError(`a package of version ${read}, not ${version}`);
  const type = contents[from.u8()];
  const place = { workspace: from.text(), topic: from.text(), streamId: from.text() };
  const content = readFields(from, type, {
    left: maxPackageBytes >> 2,
    array: (count) => new Float64Array(count),
  });
  if (from.left() > 0) throw new RangeError('a package with bytes after its end');
  return { ...place, content };
}

/** A content with its kind, of any size. */
export function* writeContent(to: ByteWriter, content: LiveContent): Steps<void> {
  to.u8(contents.indexOf(content.type));
  yield* writeFields(to, content);
}

/** Throws a RangeError or SyntaxError where the bytes are no content. They are believed to come of `writeContent`. */
export function readContent(from: ByteReader, array: NumberRoom['array']): LiveContent {
  return readFields(from, contents[from.u8()], { left: Number.POSITIVE_INFINITY, array });
}

/** Events of a step. */
const stepEvents = 256;

function* writeFields(to: ByteWriter, content: LiveContent): Steps<void> {
  switch (content.type) {
    case 'parameterData':
      to.varint(content.rows.length);
      for (const rows of content.rows) yield* writeRows(to, rows);
      break;
    case 'eventData':
      to.varint(content.events.length);
      for (const [i, { id, timestamp, value, tags }] of content.events.entries()) {
        if (i % stepEvents === stepEvents - 1) yield;
        to.text(id);
        to.i64(timestamp);
        to.text(value);
        to.text(tags.key);
      }
      break;
    case 'parameterDefinitions':
    case 'eventDefinitions':
      to.text(JSON.stringify(content.definitions));
      break;
    case 'stream':
      to.text(JSON.stringify(content.properties ?? null));
      break;
    case 'close':
      to.text(content.endType);
  }
}

function readFields(from: ByteReader, type: LiveContent['type'] | undefined, room: NumberRoom): LiveContent {
  switch (type) {
    case 'parameterData':
      return { type, rows: Array.from({ length: readCount(from) }, () => readRows(from, room)) };
    case 'eventData':
      return { type, events: Array.from({ length: readCount(from) }, () => readEvent(from)) };
    case 'parameterDefinitions':
      return { type, definitions: JSON.parse(from.text()) as ParameterDefinition[] };
    case 'eventDefinitions':
      return { type, definitions: JSON.parse(from.text()) as EventDefinition[] };
    case 'stream':
      return { type, properties: (JSON.parse(from.text()) as StreamProperties | null) ?? undefined };
    case 'close':
      return { type, endType: from.text() as EndType };
    case undefined:
      throw new RangeError('a package of an unknown content');
  }
}

function readEvent(from: ByteReader): EventRow {
  return {
    id: from.text(),
    timestamp: from.i64(),
    value: from.text(),
    tags: tagSetOfKey(from.text()),
  };
}
