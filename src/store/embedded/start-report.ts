import { join } from 'node:path';
import type { StoreLog } from '../store-log.ts';
import type { RecoveredLog } from './log/log-recovery.ts';

/** Work that takes longer than this says how far it is. */
const progressAfterMs = 1000;

/** Says how far a start is, once a second. */
export function progressLog(
  log: StoreLog,
  clock: () => number,
): (what: string, done: number, total: number) => void {
  let last = clock();
  return (what, done, total) => {
    if (clock() - last < progressAfterMs) return;
    last = clock();
    log.info({ done, total }, `${what} ${done} of ${total}`);
  };
}

/** Says what was lost and what was cut; loss is a problem that stays until it is dealt with. */
export function reportRecovery(
  { damages, cuts }: RecoveredLog,
  root: string,
  report: (problem: string) => void,
  log: StoreLog,
): void {
  for (const { file, from, to, what } of damages) {
    report(`${join(root, file)}: bytes ${from} to ${to}: ${what}`);
  }
  for (const { sequence, from, to } of cuts) {
    log.warn(
      { segment: sequence, from, to },
      `cut ${to - from} bytes at the end of the log: an interrupted write left them, or the disk damaged the last records`,
    );
  }
}
