import { crc32 } from 'node:zlib';
import { ByteReader } from '../codecs/byte-reader.ts';
import { ByteWriter } from '../codecs/byte-writer.ts';
import { DamagedError, NewerFormatError } from '../files/damage.ts';

/**
 * A part file: rows of many streams within one time window, sorted by (stream, time, tag set), never changed
 * once it is written. Numbers are little endian; docs/storage-format.md tells the whole story.
 *
 *   row groups  row-group-codec.ts, one after another from the first byte; at most 8192 rows each
 *   index       part-index.ts
 *   footer
 *
 * Footer, 100 bytes:
 *
 *   float64  window: times are offsets from window * 2^50 ns since the Unix epoch
 *   float64  first LSN        float64  last LSN
 *   float64  rows             float64  samples (values in all columns)
 *   float64  smallest offset  float64  largest offset (both 0 in a part without rows)
 *   float64  position of the index
 *   uint32   length of the index
 *   uint32   CRC-32 of the index
 *   uint32   number of row groups
 *   uint32   number of streams
 *   uint32   length of the footer: this and what follows ends the file in every version
 *   uint32   format version
 *   uint32   CRC-32 of the footer up to here
 *   8 bytes  "PITWPART"
 */
export const partVersion = 1;

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
}

export const footerLength = 100;
const trailerLength = 20;
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
 * Decodes a footer, which lies at `position` of the file.
 * Throws DamagedError, or NewerFormatError where it is the intact footer of a later version.
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
  if (version > partVersion) throw new NewerFormatError(file, version);
  if (version !== partVersion || bytes.length !== footerLength)
    throw damaged(`there is no version ${version}`);
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
  };
}
