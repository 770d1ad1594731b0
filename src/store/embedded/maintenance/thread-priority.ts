import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';
import { basename } from 'node:path';

/**
 * Between the usual 0 and the lowest 19. Where threads compete for a core, one with 10 gets a tenth of what one with 0
 * gets: enough to get on, too little to be felt.
 */
const lowPriority = 10;

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
