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

const isTextKeyed: Readonly<Partial<Record<TableName, true>>> = {
  meta: true,
  workspaces: true,
  tokens: true,
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

/** The entry at a place of a body. Throws RangeError where there is none. */
export function entryAt(body: Buffer, start: number): StoredEntry {
  return readEntry(new ByteReader(body, start));
}

export function* storedEntries(body: Buffer): Generator<StoredEntry> {
  const reader = new ByteReader(body);
  while (reader.position < reader.end) yield readEntry(reader);
}

function readEntry(reader: ByteReader): StoredEntry {
  const start = reader.position;
  const code = reader.byte();
  const table = tableNames[code & ~removed];
  if (table === undefined) throw new RangeError(`there is no table ${code & ~removed}`);
  const key = isTextKeyed[table] ? reader.take(reader.varint()).toString() : reader.varint();
  const isRemoved = code >= removed;
  const valueStart = isRemoved ? reader.position : reader.skip(reader.varint());
  return { table, key, isRemoved, start, end: reader.position, valueStart };
}

/** @param view of all of `body`, for who reads several values of it */
export function storedValue(
  body: Buffer,
  { table, valueStart, end }: StoredEntry,
  view = new DataView(body.buffer, body.byteOffset, body.byteLength),
): unknown {
  if (table === 'streams') return decodeStream(new ByteReader(body, valueStart, end, view));
  return JSON.parse(body.toString('utf8', valueStart, end));
}
