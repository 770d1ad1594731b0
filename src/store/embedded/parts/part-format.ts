import { crc32 } from 'node:zlib';
import { ByteReader } from '../codecs/byte-reader.ts';
import { ByteWriter } from '../codecs/byte-writer.ts';
import { DamagedError } from '../files/damage.ts';

/**
 * A part file: rows of many streams, sorted by (stream, window of time, family of columns, time, tag set), never changed
 * once it is written. Most have one window. Numbers are little endian; docs/storage-format.md tells the whole story.
 *
 *   row groups  row-group-codec.ts, one after another from the first byte; at most 8192 rows each
 *   statistics  run-statistics.ts, of each run that has some
 *   tags        tag-summary.ts
 *   index       part-index.ts
 *   footer
 *
 * Footer, 112 bytes:
 *
 *   float64  first window: its times are offsets from window * 2^50 ns since the Unix epoch
 *   float64  first LSN        float64  last LSN
 *   float64  rows of all groups
 *   float64  samples (values in all columns)
 *   float64  smallest offset, in the first window; float64  largest one, in the last (both 0 in a part without rows)
 *   float64  position of the index
 *   uint32   length of the index
 *   uint32   CRC-32 of the index
 *   uint32   number of row groups
 *   uint32   number of streams
 *   uint32   number of runs
 *   uint32   length of the tags, which end where the index begins
 *   uint32   CRC-32 of the tags
 *   uint32   length of the footer: this and what follows ends the file in every version
 *   uint32   format version
 *   uint32   CRC-32 of the footer up to here
 *   8 bytes  "PITWPART"
 */
export const partVersion = 2;

export interface PartFooter {
  readonly window: number;
  readonly firstLsn: number;
  readonly lastLsn: number;
  readonly rows: number;
  readonly samples: number;
  readonly minOffset: number;
  readonly maxOffset: number;
  readonly indexPosition: number;
  readonly indexLength: number;
  readonly indexChecksum: number;
  readonly groups: number;
  readonly streams: number;
  readonly runs: number;
  readonly tagsLength: number;
  readonly tagsChecksum: number;
}

export const footerLength = 112;
/** What ends the footer in every version: its length, the version, a checksum, the mark. */
export const trailerLength = 20;
const magic = Buffer.from('PITWPART', 'latin1');

export function encodeFooter(footer: PartFooter): Buffer {
  const out = new ByteWriter(footerLength);
  out.float64(footer.window);
  out.float64(footer.firstLsn);
  out.float64(footer.lastLsn);
  out.float64(footer.rows);
  out.float64(footer.samples);
  out.float64(footer.minOffset);
  out.float64(footer.maxOffset);
  out.float64(footer.indexPosition);
  out.uint32(footer.indexLength);
  out.uint32(footer.indexChecksum);
  out.uint32(footer.groups);
  out.uint32(footer.streams);
  out.uint32(footer.runs);
  out.uint32(footer.tagsLength);
  out.uint32(footer.tagsChecksum);
  out.uint32(footerLength);
  out.uint32(partVersion);
  out.uint32(crc32(out.written()));
  out.append(magic);
  return out.written();
}

/** How long the footer at the end of `tail` says it is: the same field in every version. */
export function declaredFooterLength(tail: Buffer): number {
  return tail.length < trailerLength ? 0 : tail.readUInt32LE(tail.length - trailerLength);
}

/**
 * Decodes a footer, which lies at `position` of the file. Throws DamagedError, also where it is the intact footer of
 * another version.
 */
export function decodeFooter(file: string, position: number, bytes: Buffer): PartFooter {
  const end = position + bytes.length;
  const damaged = (what: string) => new DamagedError(file, position, end, `the footer of a part: ${what}`);
  if (bytes.length < trailerLength) throw damaged('the file is too short');
  if (!bytes.subarray(-magic.length).equals(magic)) throw damaged('it does not end as parts do');
  const checked = bytes.length - magic.length - 4;
  if (crc32(bytes.subarray(0, checked)) !== bytes.readUInt32LE(checked)) {
    throw damaged('the checksum does not match');
  }
  const version = bytes.readUInt32LE(checked - 4);
  if (version !== partVersion)
    throw damaged(`it has format version ${version}; this version of Pitwall reads version ${partVersion}`);
  if (bytes.length !== footerLength) throw damaged(`it has ${bytes.length} bytes, and not ${footerLength}`);
  const reader = new ByteReader(bytes);
  return {
    window: reader.float64(),
    firstLsn: reader.float64(),
    lastLsn: reader.float64(),
    rows: reader.float64(),
    samples: reader.float64(),
    minOffset: reader.float64(),
    maxOffset: reader.float64(),
    indexPosition: reader.float64(),
    indexLength: reader.uint32(),
    indexChecksum: reader.uint32(),
    groups: reader.uint32(),
    streams: reader.uint32(),
    runs: reader.uint32(),
    tagsLength: reader.uint32(),
    tagsChecksum: reader.uint32(),
  };
}
