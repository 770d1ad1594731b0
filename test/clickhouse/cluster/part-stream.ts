import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashOfFile } from './city-hash.ts';

/** The version of the form in which replicas hand parts over that this speaks. */
export const partStreamVersion = 10;

/** A part as one replica hands it over to another. */
export function partStream(folder: string): Buffer {
  const isCompact = existsSync(join(folder, 'data.bin'));
  const projections = namesIn(folder, true);
  return Buffer.concat([
    // How much room to look for.
    number(0),
    text(ttlOf(folder)),
    text(isCompact ? 'Compact' : 'Wide'),
    Buffer.from(noUuid),
    number(projections.length),
    ...projections.flatMap((name) => [text(name.replace(/\.proj$/, '')), ...files(join(folder, name))]),
    ...files(folder),
  ]);
}

const noUuid = '00000000-0000-0000-0000-000000000000';

/** When which rows expire. */
function ttlOf(folder: string): string {
  const path = join(folder, 'ttl.txt');
  return existsSync(path) ? readFileSync(path, 'utf8') : 'ttl format version: 1\n{}';
}

function files(folder: string): Buffer[] {
  const names = namesIn(folder, false).filter((name) => !name.startsWith('txn_version'));
  return [number(names.length), ...names.flatMap((name) => file(folder, name))];
}

function file(folder: string, name: string): Buffer[] {
  const bytes = readFileSync(join(folder, name));
  const [low, high] = hashOfFile(bytes);
  return [text(name), number(bytes.length), bytes, number(low), number(high)];
}

function namesIn(folder: string, isFolder: boolean): string[] {
  const entries = readdirSync(folder, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory() === isFolder).map(({ name }) => name);
}

function number(value: number | bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}

/** Its length in groups of seven bits, then its bytes. */
function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  const length: number[] = [];
  let left = bytes.length;
  for (; left > 127; left >>= 7) length.push((left & 127) | 128);
  return Buffer.concat([Buffer.from([...length, left]), bytes]);
}
