import { parentPort } from 'node:worker_threads';
import type { JobReply, JobRequest } from './background.ts';
import { runJob } from './jobs.ts';

/** The other end of background.ts: one job after another, each answered with what it made or why it failed. */
parentPort!.on('message', (request: JobRequest) => {
  const { id, ...job } = request;
  runJob(job).then(
    (made) => reply({ id, made }),
    (error: NodeJS.ErrnoException) => reply({ id, error: { message: error.message, code: error.code } }),
  );
});

function reply(message: JobReply): void {
  parentPort!.postMessage(message);
}
