import { parentPort, workerData } from 'node:worker_threads';
import { DamagedError } from '../files/damage.ts';
import type { BackgroundData, JobReply, JobRequest, StopRequest } from './background.ts';
import { runJob } from './jobs.ts';
import { lowerThisThread } from './thread-priority.ts';

const { stopping } = workerData as BackgroundData;
let isLow = false;

/** The other end of background.ts: one job after another, each answered with what it made or why it failed. */
parentPort!.on('message', (request: JobRequest | StopRequest) => {
  if (request === 'stop' || Atomics.load(stopping, 0) !== 0) process.exit();
  const { id, atLowPriority, ...job } = request;
  if (atLowPriority && !isLow) {
    lowerThisThread();
    isLow = true;
  }
  runJob(job).then(
    (made) => reply({ id, made }),
    (error: Error) => reply({ id, ...told(error) }),
  );
});

function told(error: NodeJS.ErrnoException) {
  if (!(error instanceof DamagedError)) return { error: { message: error.message, code: error.code } };
  const { file, from, to, what } = error;
  return { damage: { file, from, to, what } };
}

function reply(message: JobReply): void {
  parentPort!.postMessage(message);
}
