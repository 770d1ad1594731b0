import { type EndType, endTypes, type StreamProperties } from '../../../domain/stream.ts';
import { ByteReader } from '../codecs/byte-reader.ts';
import { ByteWriter } from '../codecs/byte-writer.ts';

/** A stream in the manifest; times in ms since the Unix epoch, data bounds in ns. */
export interface StreamEntry {
  readonly topic: number;
  readonly id: string;
  readonly createdAt: number;
  readonly lastUpdate: number;
  /** Where a delete of rows came later. */
  readonly lastWrite?: number | undefined;
  readonly data?: readonly [start: bigint, end: bigint] | undefined;
  readonly ended?: EndType | undefined;
  readonly softDeleted?: true | undefined;
  /** Ascending. Of streams that are read one after another, equal lists are one array. */
  readonly parameters: readonly number[];
  readonly properties?: StreamProperties | undefined;
  /** Numbers of its lists in `parameterDefinitions` and `eventDefinitions`, 0 for none. */
  readonly definitions?: readonly [parameters: number, events: number] | undefined;
}

/**
 * A million of them are read at a start, so they are bytes:
 *
 *   byte     bits 0..1: 0, or 1 + the place of how it ended in `endTypes`; from bit 2 on a bit each for: soft-deleted,
 *            data, lastWrite, properties, definitions
 *   varint   topic
 *   text     id (a text is a varint length and UTF-8)
 *   float64  createdAt, lastUpdate, and lastWrite where it is there
 *   int64    where there is data: start, end
 *   varint   length of the list of parameters, which are varints: the first, then distances
 *   varint   where it has definitions: both numbers
 *   then     where it has properties: a byte with a bit each for name, location, metadata, parents, timeOfRecording; of
 *            these the ones that are there: a text each, a varint count and texts (of metadata key and value), a float64
 */
const flag = { softDeleted: 4, data: 8, lastWrite: 16, properties: 32, definitions: 64 } as const;
const has = { name: 1, location: 2, metadata: 4, parents: 8, timeOfRecording: 16 } as const;

const out = new ByteWriter(1 << 12);

/** Valid until the next call. */
export function encodeStream(entry: StreamEntry): Buffer {
  out.length = 0;
  const { data, definitions, ended, lastWrite, parameters, properties } = entry;
  out.byte(
    (ended === undefined ? 0 : 1 + endTypes.indexOf(ended)) |
      (entry.softDeleted ? flag.softDeleted : 0) |
      (data ? flag.data : 0) |
      (lastWrite === undefined ? 0 : flag.lastWrite) |
      (properties ? flag.properties : 0) |
      (definitions ? flag.definitions : 0),
  );
  out.varint(entry.topic);
  writeText(entry.id);
  out.float64(entry.createdAt);
  out.float64(entry.lastUpdate);
  if (lastWrite !== undefined) out.float64(lastWrite);
  for (const bound of data ?? []) {
    out.reserve(8);
    out.bytes.writeBigInt64LE(bound, out.length);
    out.length += 8;
  }
  writeParameters(parameters);
  for (const number of definitions ?? []) out.varint(number);
  if (properties !== undefined) writeProperties(properties);
  return out.written();
}

export function decodeStream(reader: ByteReader): StreamEntry {
  const flags = reader.byte();
  const topic = reader.varint();
  const id = readText(reader);
  const createdAt = reader.float64();
  const lastUpdate = reader.float64();
  const lastWrite = (flags & flag.lastWrite) === 0 ? undefined : reader.float64();
  const data = (flags & flag.data) === 0 ? undefined : ([readInt64(reader), readInt64(reader)] as const);
  const parameters = readParameters(reader);
  const definitions =
    (flags & flag.definitions) === 0 ? undefined : ([reader.varint(), reader.varint()] as const);
  const properties = (flags & flag.properties) === 0 ? undefined : readProperties(reader);
  const ended = (flags & 3) === 0 ? undefined : endTypes[(flags & 3) - 1]!;
  const softDeleted = (flags & flag.softDeleted) === 0 ? undefined : true;
  // Objects of one shape: there may be a million of them.
  return {
    topic,
    id,
    createdAt,
    lastUpdate,
    lastWrite,
    data,
    ended,
    softDeleted,
    parameters,
    properties,
    definitions,
  };
}

function writeText(text: string): void {
  const length = Buffer.byteLength(text);
  out.varint(length);
  out.reserve(length);
  out.bytes.write(text, out.length);
  out.length += length;
}

function readText(reader: ByteReader): string {
  const length = reader.varint();
  const at = reader.skip(length);
  return reader.bytes.toString('utf8', at, at + length);
}

function readInt64(reader: ByteReader): bigint {
  return reader.view.getBigInt64(reader.skip(8), true);
}

const list = new ByteWriter(1 << 10);

function writeParameters(parameters: readonly number[]): void {
  list.length = 0;
  let before = 0;
  for (const parameter of parameters) {
    list.varint(parameter - before);
    before = parameter;
  }
  out.varint(list.length);
  out.append(list.written());
}

/** The list that was read last, and its bytes: streams that stand side by side mostly have the same parameters. */
let last: { readonly bytes: Buffer; readonly parameters: readonly number[] } = {
  bytes: Buffer.alloc(0),
  parameters: [],
};

function readParameters(reader: ByteReader): readonly number[] {
  const length = reader.varint();
  const start = reader.skip(length);
  const end = start + length;
  if (isLast(reader.bytes, start, length)) return last.parameters;
  const parameters: number[] = [];
  const numbers = new ByteReader(reader.bytes, start, end, reader.view);
  for (let before = 0; numbers.position < end; ) {
    before += numbers.varint();
    parameters.push(before);
  }
  last = { bytes: Buffer.from(reader.bytes.subarray(start, end)), parameters };
  return parameters;
}

/** Byte by byte: the lists are short, and a call of `compare` costs more. */
function isLast(bytes: Buffer, start: number, length: number): boolean {
  const { bytes: known } = last;
  if (known.length !== length) return false;
  for (let i = 0; i < length; i++) if (known[i] !== bytes[start + i]) return false;
  return true;
}

function writeProperties({ name, location, metadata, parents, timeOfRecording }: StreamProperties): void {
  out.byte(
    (name === undefined ? 0 : has.name) |
      (location === undefined ? 0 : has.location) |
      (metadata ? has.metadata : 0) |
      (parents ? has.parents : 0) |
      (timeOfRecording === undefined ? 0 : has.timeOfRecording),
  );
  if (name !== undefined) writeText(name);
  if (location !== undefined) writeText(location);
  if (metadata !== undefined) {
    const pairs = Object.entries(metadata);
    out.varint(pairs.length);
    for (const [key, value] of pairs) {
      writeText(key);
      writeText(value);
    }
  }
  if (parents !== undefined) {
    out.varint(parents.length);
    for (const parent of parents) writeText(parent);
  }
  if (timeOfRecording !== undefined) out.float64(timeOfRecording);
}

function readProperties(reader: ByteReader): StreamProperties {
  const fields = reader.byte();
  const there = <T>(bit: number, read: () => T): T | undefined => ((fields & bit) === 0 ? undefined : read());
  const texts = (count: number) => Array.from({ length: count }, () => readText(reader));
  const name = there(has.name, () => readText(reader));
  const location = there(has.location, () => readText(reader));
  const metadata = there(has.metadata, () =>
    Object.fromEntries(
      Array.from({ length: reader.varint() }, () => [readText(reader), readText(reader)] as const),
    ),
  );
  const parents = there(has.parents, () => texts(reader.varint()));
  const timeOfRecording = there(has.timeOfRecording, () => reader.float64());
  return {
    ...(name !== undefined && { name }),
    ...(location !== undefined && { location }),
    ...(metadata && { metadata }),
    ...(parents && { parents }),
    ...(timeOfRecording !== undefined && { timeOfRecording }),
  };
}
