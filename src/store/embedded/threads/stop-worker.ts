import type { Worker } from 'node:worker_threads';

/**
 * Ends a thread, whose program exits by itself between two turns when it gets the message. It is terminated only where it has
 * not gone after `stuckMs`: a thread that is terminated while it makes a compressor or decompressor of zlib takes the whole process with it (Node.js 20, 22:
 * "close before init").
 */
export async function stopWorker(worker: Worker, message: unknown, stuckMs: number): Promise<void> {
  // One that has gone has no number.
  if (worker.threadId < 0) return;
  const gone = new Promise<void>((resolve) => {
    worker.once('exit', () => resolve());
  });
  worker.postMessage(message);
  const stuck = setTimeout(() => void worker.terminate(), stuckMs);
  await gone;
  clearTimeout(stuck);
}
