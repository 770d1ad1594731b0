// A thread that says something of each read, and then is stuck in a single step.
import { parentPort } from 'node:worker_threads';

const port = parentPort!;
port.on('message', ({ type, id }: { type: string; id: number }) => {
  if (type !== 'read') return;
  const memory = { cacheBytes: 0, indexBytes: 0 };
  const nothing = {
    rowsRead: 1,
    rowsAnswered: 0,
    takenBytes: 0,
    begun: undefined,
    isRead: false,
    chunks: [],
  };
  // The read ends before this is taken.
  port.postMessage({ id, ...nothing, end: undefined, memory });
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
});
