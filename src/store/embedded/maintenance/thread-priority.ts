import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';
import { basename } from 'node:path';

/**
 * The lowest: where threads compete for a core, one with it gets a seventieth of what one with the usual 0 gets. Where that is
 * too little to keep up, another thread begins at the usual one.
 */
const lowPriority = 19;

/**
 * Gives other threads precedence over the one that calls this. It can't be taken back: that takes privileges. Only Linux
 * has priorities of single threads; elsewhere, and where the system refuses, nothing happens.
 */
export function lowerThisThread(): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(Number(basename(readlinkSync('/proc/thread-self'))), lowPriority);
  } catch {
    // Without /proc, or under rules that forbid it, the thread goes on as it is.
  }
}
