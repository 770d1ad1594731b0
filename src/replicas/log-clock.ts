import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The time of the log: that of its newest message that this node applies. Rows expire by it, and it stands in what is written, so that
 * all nodes say the same whatever their own clocks say.
 */
export interface LogClock {
  /** Milliseconds since the Unix epoch. Never goes back. */
  now(): number;
  advance(at: number): void;
  /** Keeps it for the next start. */
  keep(): void;
}

const fileName = 'replica-clock.json';

/**
 * @param folder the data folder
 * @param made when the log was made: the time of a node that has kept none
 */
export function logClock(folder: string, made: number): LogClock {
  const path = join(folder, fileName);
  let time = keptTime(path) ?? made;
  return {
    now: () => time,
    advance(at) {
      if (at > time) time = at;
    },
    keep() {
      try {
        writeFileSync(`${path}.new`, JSON.stringify({ at: time }), { mode: 0o600 });
        renameSync(`${path}.new`, path);
      } catch {
        // A full disk: a start with an older time lets rows expire later.
      }
    },
  };
}

function keptTime(path: string): number | undefined {
  try {
    const { at } = JSON.parse(readFileSync(path, 'utf8')) as { at?: unknown };
    return typeof at === 'number' ? at : undefined;
  } catch {
    return undefined;
  }
}
