import { parentPort, workerData } from 'node:worker_threads';
import { freeArrays } from '../../../free-arrays.ts';
import { DamagedError } from '../files/damage.ts';
import { filePool } from '../parts/file-pool.ts';
import type { BackgroundData, JobReply, JobRequest, StopRequest } from './background.ts';
import { runJob } from './jobs.ts';
import { lowerThisThread } from './thread-priority.ts';

/**
 * The most files that are open at once; those of more parts are opened in turn: they are read in large steps, so
 * that costs little.
 */
const maxOpenFiles = 16;

const files = filePool(maxOpenFiles);
const { stopping } = workerData as BackgroundData;
let isLow = false;

/** The other end of background.ts: one job after another, each answered with what it made or why it failed. */
parentPort!.on('message', (request: JobRequest | StopRequest) => {
  if (request === 'stop' || Atomics.load(stopping, 0) !== 0) {
    void files.close().finally(() => process.exit());
    return;
  }
  const { id, atLowPriority, ...job } = request;
  if (atLowPriority && !isLow) {
    lowerThisThread();
    isLow = true;
  }
  runJob(job, files)
    .then(
      (made) => reply({ id, made }),
      (error: Error) => reply({ id, ...told(error) }),
    )
    .finally(freeArrays);
});

function told(error: NodeJS.ErrnoException) {
  if (!(error instanceof DamagedError)) return { error: { message: error.message, code: error.code } };
  const { file, from, to, what } = error;
  return { damage: { file, from, to, what } };
}

function reply(message: JobReply): void {
  parentPort!.postMessage(message);
}
