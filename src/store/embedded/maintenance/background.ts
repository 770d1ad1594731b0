import { Worker } from 'node:worker_threads';
import { type Damage, DamagedError } from '../files/damage.ts';
import { stopWorker } from '../threads/stop-worker.ts';
import type { MergeJob } from './merge-job.ts';
import type { SealJob } from './seal-job.ts';
import type { PartsMade } from './write-part.ts';

/** Runs sealing or merging beside the main thread, one job after another. */
export interface Background {
  seal(job: SealJob): Promise<PartsMade>;
  merge(job: MergeJob): Promise<PartsMade>;
  close(): Promise<void>;
}

export type JobRequest = { readonly id: number; readonly atLowPriority: boolean } & (SealJob | MergeJob);
/** The thread is to exit. */
export type StopRequest = 'stop';

/** What the thread is told as it begins. */
export interface BackgroundData {
  /** Not 0 where the thread is to exit instead of beginning another job. */
  readonly stopping: Int32Array;
}

export type JobReply = { readonly id: number } & (
  | { readonly made: PartsMade }
  | { readonly damage: Damage }
  | { readonly error: { readonly message: string; readonly code: string | undefined } }
);

interface Waiting {
  readonly resolve: (made: PartsMade) => void;
  readonly reject: (error: Error) => void;
}

const stop: StopRequest = 'stop';
/** The time without a step after which a job is stuck. */
const stuckMs = 10_000;

/**
 * A worker thread; it starts again for the next job if it ever dies. A job has a low priority, so that requests come
 * first, unless work has fallen behind when it begins.
 */
export function backgroundWorker(isBehind: () => boolean): Background {
  let worker: Worker | undefined;
  let stopping: Int32Array = new Int32Array(1);
  /** Whether the worker has had a job at low priority. A thread can't take that back: another one begins. */
  let isLow = false;
  let nextId = 1;
  let closed = false;
  const waiting = new Map<number, Waiting>();

  function start(): Worker {
    stopping = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    const workerData: BackgroundData = { stopping };
    const started = new Worker(new URL('./background-worker.js', import.meta.url), { workerData });
    started.unref();
    started.on('message', (reply: JobReply) => {
      const job = waiting.get(reply.id);
      waiting.delete(reply.id);
      if ('made' in reply) job?.resolve(reply.made);
      else job?.reject(errorOf(reply));
    });
    const fail = (error: Error) => {
      if (worker !== started) return;
      worker = undefined;
      for (const job of waiting.values()) job.reject(error);
      waiting.clear();
    };
    started.on('error', fail);
    started.on('exit', () => fail(new Error('the background worker stopped')));
    isLow = false;
    return started;
  }

  /** Ends a thread that has nothing to do. */
  function letGo(): void {
    const idle = worker;
    worker = undefined;
    if (idle !== undefined) void stopWorker(idle, stop, stuckMs);
  }

  function run(job: SealJob | MergeJob): Promise<PartsMade> {
    if (closed) return Promise.reject(new Error('the background worker is closed'));
    const atLowPriority = !isBehind();
    if (!atLowPriority && isLow && waiting.size === 0) letGo();
    worker ??= start();
    isLow ||= atLowPriority;
    const id = nextId++;
    const request: JobRequest = { id, atLowPriority, ...job };
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject });
      worker!.postMessage(request);
    });
  }

  return {
    seal: run,
    merge: run,
    async close() {
      closed = true;
      Atomics.store(stopping, 0, 1);
      if (worker !== undefined) await stopWorker(worker, stop, stuckMs);
    },
  };
}

/** Another thread has classes of its own: damage is to be known as such here. */
function errorOf(reply: Exclude<JobReply, { made: PartsMade }>): Error {
  if ('error' in reply) return Object.assign(new Error(reply.error.message), { code: reply.error.code });
  const { file, from, to, what } = reply.damage;
  return new DamagedError(file, from, to, what);
}
