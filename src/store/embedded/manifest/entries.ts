import { ByteReader } from '../codecs/byte-reader.ts';
import type { ByteWriter } from '../codecs/byte-writer.ts';
import { type Key, type ManifestChange, type TableName, tableNames } from './manifest.ts';
import { decodeStream, encodeStream, type StreamEntry } from './stream-entry.ts';

/**
 * Entries, one after another, as they stand in a frame:
 *
 *   byte    place of the table in `tableNames`; bit 7: the entry is removed
 *   key     a varint, or in the tables with text for keys a varint length and UTF-8
 *   varint  length of the value, and the value: stream-entry.ts in `streams`, otherwise JSON; nothing if removed
 */
const removed = 0x80;

const streamsCode = tableNames.indexOf('streams');

const isTextKeyed: Readonly<Partial<Record<TableName, true>>> = {
  meta: true,
  workspaces: true,
  tokens: true,
  kept: true,
};

/** One entry of a frame, as positions in its body. */
export interface StoredEntry {
  readonly table: TableName;
  readonly key: Key;
  readonly isRemoved: boolean;
  readonly start: number;
  readonly end: number;
  readonly valueStart: number;
}

export function writeEntry(out: ByteWriter, { table, key, value }: ManifestChange): void {
  out.byte(tableNames.indexOf(table) | (value === undefined ? removed : 0));
  if (isTextKeyed[table]) {
    const text = Buffer.from(key as string);
    out.varint(text.length);
    out.append(text);
  } else {
    out.varint(key as number);
  }
  if (value === undefined) return;
  const bytes = table === 'streams' ? encodeStream(value as StreamEntry) : Buffer.from(JSON.stringify(value));
  out.varint(bytes.length);
  out.append(bytes);
}

/**
 * Fills a frame up by so many bytes, or by a few less, which the padding of the frame makes good: `meta` is without a name of
 * that many spaces.
 */
export function writeFiller(out: ByteWriter, bytes: number): void {
  if (bytes < 8) return;
  // Its length takes two bytes from 128 on.
  const spaces = bytes <= 129 ? bytes - 2 : Math.max(127, bytes - 3);
  writeEntry(out, { table: 'meta', key: ' '.repeat(spaces), value: undefined });
}

/** The entry at a place of a body. Throws RangeError where there is none. */
export function entryAt(body: Buffer, start: number): StoredEntry {
  return readEntry(new ByteReader(body, start));
}

/**
 * Goes over the entries of a body without an object for each stream, of which there may be a million.
 *
 * @param onStream told of a stream's number, of where its entry begins, and of the reader, which stands at the value
 * @param onOther told of every other entry, and of streams that are removed
 */
export function walkEntries(
  body: Buffer,
  onStream: (stream: number, start: number, reader: ByteReader) => void,
  onOther: (entry: StoredEntry) => void = () => undefined,
): void {
  const reader = new ByteReader(body);
  while (reader.position < reader.end) {
    const start = reader.position;
    if (body[start] !== streamsCode) {
      onOther(readEntry(reader));
      continue;
    }
    reader.skip(1);
    const stream = reader.varint();
    const length = reader.varint();
    const valueStart = reader.position;
    onStream(stream, start, reader);
    reader.position = valueStart;
    reader.skip(length);
  }
}

function readEntry(reader: ByteReader): StoredEntry {
  const start = reader.position;
  const code = reader.byte();
  const table = tableNames[code & ~removed];
  if (table === undefined)
    throw new RangeError(
      `the catalogue has a table ${code & ~removed}, which this version of Pitwall does not know`,
    );
  const key = isTextKeyed[table] ? reader.take(reader.varint()).toString() : reader.varint();
  const isRemoved = code >= removed;
  const valueStart = isRemoved ? reader.position : reader.skip(reader.varint());
  return { table, key, isRemoved, start, end: reader.position, valueStart };
}

export function storedValue(body: Buffer, { table, valueStart, end }: StoredEntry): unknown {
  if (table === 'streams') return decodeStream(new ByteReader(body, valueStart, end));
  return JSON.parse(body.toString('utf8', valueStart, end));
}
