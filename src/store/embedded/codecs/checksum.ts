import { crc32 } from 'node:zlib';

export function verifyChecksum(bytes: Uint8Array, checksum: number): void {
  if (crc32(bytes) !== checksum) throw new RangeError('the checksum does not match');
}
