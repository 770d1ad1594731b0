import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Random } from '../random.ts';

/** Does one thing to one file of a folder, and says what: flips a bit, zeroes a sector, or cuts the file. */
export function damageFile(dataDir: string, random: Random): string {
  const files = readdirSync(dataDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name, parentPath }) => join(parentPath, name))
    .sort();
  const path = random.pick(files);
  const bytes = readFileSync(path);
  const name = path.slice(dataDir.length + 1);
  if (bytes.length === 0) return `nothing in ${name}, which is empty`;
  let at = random.int(0, bytes.length - 1);
  // Log and spares are mostly zeros, which mean nothing.
  for (let tries = 0; tries < 20 && bytes[at] === 0; tries++) at = random.int(0, bytes.length - 1);
  const kind = random.pick(['flip', 'zero', 'cut'] as const);
  if (kind === 'flip') bytes[at]! ^= 1 << random.int(0, 7);
  const sector = at - (at % 512);
  if (kind === 'zero') bytes.fill(0, sector, Math.min(sector + 512, bytes.length));
  writeFileSync(path, kind === 'cut' ? bytes.subarray(0, at) : bytes);
  return `${kind} at ${kind === 'zero' ? sector : at} of ${name}`;
}
