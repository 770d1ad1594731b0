// How long each unit took, in seconds of processor time, kept from run to run in build/test-times.json: what takes longest
// begins first, so that none of it is left for the end and runs there alone.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const fileOf = (build) => join(build, 'test-times.json');

/** @returns seconds by the name of the unit; empty before the first run */
export function readTimes(build) {
  const file = fileOf(build);
  return new Map(existsSync(file) ? Object.entries(JSON.parse(readFileSync(file, 'utf8'))) : []);
}

/** The longest first; before them those of which nothing is known, large files first. */
export function inOrder(units, times) {
  const secondsOf = ({ name }) => times.get(name) ?? Infinity;
  return units.toSorted((a, b) => {
    const [one, other] = [secondsOf(a), secondsOf(b)];
    return one === other ? b.bytes - a.bytes || 0 : other - one;
  });
}

/**
 * Keeps what the processes of this run have told.
 * @returns the seconds of all, and those of each test file, of the process that quick files share what it took without them
 */
export function keepTimes(build, told) {
  const taken = new Map();
  let total = 0;
  for (const line of existsSync(told) ? readFileSync(told, 'utf8').split('\n') : []) {
    if (line === '') continue;
    const { unit, seconds, isPart } = JSON.parse(line);
    taken.set(unit, seconds);
    if (!isPart) total += seconds;
  }
  const kept = Object.fromEntries([...readTimes(build), ...taken]);
  writeFileSync(fileOf(build), `${JSON.stringify(kept, null, 2)}\n`);
  return { total, taken };
}

export const slowest = (taken) => [...taken].sort((a, b) => b[1] - a[1]).slice(0, 11);
