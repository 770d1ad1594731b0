import { parentPort, workerData } from 'node:worker_threads';
import { freeArraysAtRest } from '../../../free-arrays.ts';
import type { ThreadData, ToThread } from './messages.ts';
import { ReadServer } from './read-server.ts';

/** The other end of read-thread.ts. */
const port = parentPort!;
const reads = new ReadServer(workerData as ThreadData, (message, given) => port.postMessage(message, given));
port.on('message', (message: ToThread) => {
  if (message.type === 'stop') void reads.close().finally(() => process.exit());
  else reads.take(message);
});
freeArraysAtRest();
// What it said of which read nobody knows.
port.on('messageerror', (error) => {
  throw error;
});
