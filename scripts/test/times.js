// How long each unit lasted, in seconds, kept from run to run in build/test-times.json: what lasts longest begins first, so that
// none of it is left for the end and runs there alone. What waits most of its time takes little of the processor, and lasts.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const fileOf = (build) => join(build, 'test-times.json');

/** @returns seconds by the name of the unit; empty before the first run */
export function readTimes(build) {
  const file = fileOf(build);
  return new Map(existsSync(file) ? Object.entries(JSON.parse(readFileSync(file, 'utf8'))) : []);
}

/**
 * The longest first, by what a unit is known for where it has not run yet, or with a few of its files; large files first where
 * nothing is known.
 */
export function inOrder(units, times) {
  const secondsOf = ({ name, lasts = 0 }) => Math.max(times.get(name) ?? 0, lasts);
  return units.toSorted((a, b) => {
    const [one, other] = [secondsOf(a), secondsOf(b)];
    return one === other ? b.bytes - a.bytes || 0 : other - one;
  });
}

/**
 * Keeps how long the processes of this run have lasted.
 * @returns the seconds of the processor that all took, and each unit and file of one
 */
export function keepTimes(build, told) {
  const taken = new Map();
  const lasted = new Map(readTimes(build));
  let total = 0;
  for (const line of existsSync(told) ? readFileSync(told, 'utf8').split('\n') : []) {
    if (line === '') continue;
    const one = JSON.parse(line);
    taken.set(one.unit, one.seconds);
    if (one.isPart) continue;
    total += one.seconds;
    lasted.set(one.unit, one.lasted);
  }
  writeFileSync(fileOf(build), `${JSON.stringify(Object.fromEntries(lasted), null, 2)}\n`);
  return { total, taken };
}

export const slowest = (taken) => [...taken].sort((a, b) => b[1] - a[1]).slice(0, 11);
