import { closeSync, fsyncSync, openSync } from 'node:fs';
import type { FilePool } from '../parts/file-pool.ts';
import { type MergeJob, merge } from './merge-job.ts';
import { type SealJob, seal } from './seal-job.ts';
import type { PartsMade } from './write-part.ts';

/**
 * Does a job of the background worker: what it makes is durable when it is done.
 *
 * @param files has the parts open that are read
 */
export async function runJob(job: SealJob | MergeJob, files: FilePool): Promise<PartsMade> {
  // Opened before anything is made: where the process has no file left for it, no part stays that nobody names.
  const directory = openSync(job.directory, 'r');
  try {
    const made = await (job.type === 'seal' ? seal(job) : merge(job, files));
    fsyncSync(directory);
    return made;
  } finally {
    closeSync(directory);
  }
}
