import { spawnSync } from 'node:child_process';
import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';
import { basename } from 'node:path';

/** The lowest: where threads compete for a core, one with it gets a seventieth of what one with the usual 0 gets. */
const lowPriority = 19;
/** `chrt` takes a few milliseconds. */
const patienceMs = 1000;

/**
 * Gives other threads precedence over the one that calls this. It can't be taken back: that takes privileges. Where what is left
 * to it is too little to keep up, another thread begins at the usual priority.
 *
 * Only Linux has priorities of single threads; elsewhere, and where the system refuses, nothing happens. Best is the policy
 * SCHED_IDLE: a core with nothing but such a thread counts as free, so a thread that wakes up goes there instead of waiting
 * for another one. Node.js cannot set it, `chrt` (util-linux) can; without it the thread has the lowest priority of the usual policy.
 */
export function lowerThisThread(): void {
  if (process.platform !== 'linux') return;
  try {
    const thread = basename(readlinkSync('/proc/thread-self'));
    setPriority(Number(thread), lowPriority);
    spawnSync('chrt', ['--idle', '--pid', '0', thread], { stdio: 'ignore', timeout: patienceMs });
  } catch {
    // Without /proc, or under rules that forbid it, the thread goes on as it is.
  }
}
