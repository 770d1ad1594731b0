import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { CannotOpen } from '../cannot-open.ts';
import type { DataDirectory } from './files/directory.ts';
import { namesIn } from './files/files.ts';
import { headerChecksumAt, recordMagic, segmentNumberAt } from './log/log-record.ts';
import { segmentSequence } from './log/segment-names.ts';
import { catalogNumber } from './manifest/catalog-files.ts';
import { frameChecksumAt, frameMagic, frameNumberAt } from './manifest/frames.ts';

/** How the headers of a kind of file begin: three letters and the digit of the version, under a checksum. */
interface Header {
  readonly magic: number;
  /** Where the number of the file stands, and the checksum of all before it. */
  readonly numberAt: number;
  readonly checksumAt: number;
}

const record: Header = { magic: recordMagic, numberAt: segmentNumberAt, checksumAt: headerChecksumAt };
const frame: Header = { magic: frameMagic, numberAt: frameNumberAt, checksumAt: frameChecksumAt };

/**
 * Refuses a folder whose log or catalogue another version wrote, whatever FORMAT says, before anything in it is changed.
 * Parts tell their version when they are read. Throws CannotOpen.
 */
export async function checkVersions({ log, catalog }: DataDirectory): Promise<void> {
  for (const name of await namesIn(log)) await check(join(log, name), segmentSequence(name), record);
  for (const name of await namesIn(catalog)) await check(join(catalog, name), catalogNumber(name), frame);
}

/** @param number of the file; undefined for one of another kind */
async function check(path: string, number: number | undefined, header: Header): Promise<void> {
  if (number === undefined) return;
  const { magic, numberAt, checksumAt } = header;
  const bytes = await firstBytes(path, checksumAt + 4);
  if (bytes.length < checksumAt + 4 || bytes.readUInt32LE(numberAt) !== number) return;
  const found = bytes.readUInt32LE(0);
  if (found === magic || found << 8 !== magic << 8) return;
  // Otherwise it is damage, which is met elsewhere.
  if (bytes.readUInt32LE(checksumAt) !== crc32(bytes.subarray(0, checksumAt))) return;
  throw new CannotOpen(
    `${path} has format ${versionIn(found)}; this version of Pitwall takes format ${versionIn(magic)}`,
  );
}

function versionIn(magic: number): string {
  return String.fromCharCode(magic >>> 24);
}

/** Fewer where the file has fewer, or the disk cannot read them. */
async function firstBytes(path: string, length: number): Promise<Buffer> {
  try {
    const handle = await open(path);
    try {
      const { bytesRead, buffer } = await handle.read(Buffer.alloc(length), 0, length, 0);
      return buffer.subarray(0, bytesRead);
    } finally {
      await handle.close();
    }
  } catch {
    return Buffer.alloc(0);
  }
}
