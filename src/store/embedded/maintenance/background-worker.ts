import { parentPort } from 'node:worker_threads';
import { DamagedError } from '../files/damage.ts';
import type { JobReply, JobRequest } from './background.ts';
import { runJob } from './jobs.ts';
import { lowerThisThread } from './thread-priority.ts';

let isLow = false;

/** The other end of background.ts: one job after another, each answered with what it made or why it failed. */
parentPort!.on('message', (request: JobRequest) => {
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
