import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where Debian keeps the library that tells processes another time. */
const library = (existsSync('/usr/lib') ? readdirSync('/usr/lib') : [])
  .map((machine) => join('/usr/lib', machine, 'faketime/libfaketime.so.1'))
  .find((path) => existsSync(path));

/** For the `skip` of tests that need it. */
export const clocksMissing: string | false =
  library === undefined && "libfaketime is not installed ('apt-get install faketime')";

/** The clocks of nodes, each of which may be apart from that of the machine. */
export interface Clocks {
  envOf(node: string): Readonly<Record<string, string>>;
  /** So many seconds ahead; the node sees it within a second. */
  set(node: string, seconds: number): void;
}

/** @param state a folder, in which the clocks are told to the nodes */
export function clocksIn(state: string): Clocks {
  const file = (node: string): string => join(state, `clock-of-${node}`);
  const set = (node: string, seconds: number): void =>
    writeFileSync(file(node), `${seconds < 0 ? '-' : '+'}${Math.abs(seconds)}\n`);
  return {
    envOf(node) {
      set(node, 0);
      return {
        LD_PRELOAD: library!,
        FAKETIME_TIMESTAMP_FILE: file(node),
        FAKETIME_CACHE_DURATION: '1',
        // The clock that measures how long things take never jumps on a real machine.
        DONT_FAKE_MONOTONIC: '1',
      };
    },
    set,
  };
}
